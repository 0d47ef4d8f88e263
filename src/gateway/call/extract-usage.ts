import { decodeChatEmbeddingUsage } from "../../dialect/chat/embedding-usage.ts";
import { decodeChatUsage } from "../../dialect/chat/usage.ts";
import { decodeMessagesUsage } from "../../dialect/messages/usage.ts";
import { decodeResponsesUsage } from "../../dialect/responses/usage.ts";
import { asObject, type JsonObject } from "../../dialect/json.ts";
import { mergeTokenUsage, type TokenUsage } from "../../dialect/usage.ts";
import type { DialectId } from "../../platform/configuration/configuration.ts";
import { jsonByteCodes } from "../../platform/json-splice/byte.ts";

/** The format of a usage object: of a dialect, or of an embeddings answer. */
export type TokenUsageFormat = DialectId | "embeddings";

const decoders: Readonly<Record<TokenUsageFormat, (value: unknown) => TokenUsage | undefined>> = {
  dialect_chat: decodeChatUsage,
  dialect_messages: decodeMessagesUsage,
  dialect_responses: decodeResponsesUsage,
  embeddings: decodeChatEmbeddingUsage,
};

const usageName = '"usage"';

/** Longest usage object, in characters. */
const maxObjectLength = 16 * 1024;

/** Most members of that name that are tried. */
const maxTries = 16;
const colonBeforeObject = /\s*:\s*(?=\{)/y;

/**
 * What the pieces of an answer that was passed on tell of its usage: the usage
 * objects in them, a later one over an earlier one. Undefined when there is none.
 * Looked for from the end, where vendors put it, until nothing is missing or a few
 * members of that name were tried.
 */
export function extractTokenUsageFromText(
  form: TokenUsageFormat,
  text: string,
): TokenUsage | undefined {
  let usage: TokenUsage | undefined;
  let at = text.length;
  for (let tries = 0; tries < maxTries; tries++) {
    at = lastBefore(text, at);
    if (at === -1) break;
    const start = objectOfMember(text, at);
    const told = start === -1 ? undefined : decoders[form](objectAt(text, start));
    if (told !== undefined) usage = usage === undefined ? told : mergeTokenUsage(told, usage);
    if (usage?.input !== undefined && usage.output !== undefined) break;
  }
  return usage;
}

function lastBefore(text: string, end: number): number {
  return end === 0 ? -1 : text.lastIndexOf(usageName, end - 1);
}

/**
 * Where the object begins that is the value of a member `usage`; -1: it is a word
 * in a string, whose quotes are escaped, or has another value.
 */
function objectOfMember(text: string, name: number): number {
  if (text[name - 1] === "\\") return -1;
  colonBeforeObject.lastIndex = name + usageName.length;
  return colonBeforeObject.test(text) ? colonBeforeObject.lastIndex : -1;
}

/** Reads a usage object as a vendor sends it; undefined for any other value. */
export function decodeTokenUsageObject(
  form: TokenUsageFormat,
  value: unknown,
): TokenUsage | undefined {
  return decoders[form](value);
}

/**
 * What the events of a stream tell of its usage, a later one over an earlier one.
 * The first line of a piece may be cut at its beginning: of that one only the text
 * can be looked at.
 */
export function extractTokenUsageFromEvents(
  dialect: DialectId,
  text: string,
): TokenUsage | undefined {
  let usage: TokenUsage | undefined;
  for (const line of text.split(/[\r\n]+/)) {
    const told = line.includes('"usage"') ? usageInLine(dialect, line) : undefined;
    if (told !== undefined) usage = mergeTokenUsage(usage, told);
  }
  return usage;
}

function usageInLine(dialect: DialectId, line: string): TokenUsage | undefined {
  const event = line.startsWith("data:") ? parseObject(line.slice("data:".length)) : undefined;
  if (event === undefined) return extractTokenUsageFromText(dialect, line);
  const holder = asObject(event["response"]) ?? asObject(event["message"]) ?? event;
  return decoders[dialect](holder["usage"]);
}

function parseObject(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The JSON object that begins at a place; undefined when its end is missing. */
function objectAt(text: string, start: number): unknown {
  const end = endOfObject(text, start);
  if (end === -1) return undefined;
  try {
    return JSON.parse(text.slice(start, end));
  } catch {
    return undefined;
  }
}

/** By codes: characters would be strings of one each. -1: the object is cut off or too long. */
function endOfObject(text: string, start: number): number {
  const last = Math.min(text.length, start + maxObjectLength);
  let depth = 0;
  let isString = false;
  for (let at = start; at < last; at++) {
    const code = text.charCodeAt(at);
    if (code === jsonByteCodes.quote && text.charCodeAt(at - 1) !== jsonByteCodes.backslash)
      isString = !isString;
    else if (!isString && code === jsonByteCodes.openBrace) depth += 1;
    else if (!isString && code === jsonByteCodes.closeBrace && --depth === 0) return at + 1;
  }
  return -1;
}
