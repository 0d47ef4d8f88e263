import { asArrayOrEmpty, asObject, type JsonObject } from "../../dialect/json.ts";
import type { DialectId } from "../../platform/configuration/configuration.ts";
import { countCodePoints, estimateTextTokens } from "./text-length.ts";

/** Members of a body, of any dialect, that hold what the model reads. */
const textMembers: ReadonlySet<string> = new Set([
  "messages",
  "system",
  "instructions",
  "input",
  "content",
  "text",
  "thinking",
  "output",
]);

/**
 * Code points of all text in the body of a model call: what the messages, the system text,
 * the instructions and the input say; no names, ids, roles or base64.
 */
export function promptTextLength(body: JsonObject): number {
  let length = 0;
  for (const [name, value] of Object.entries(body)) {
    if (textMembers.has(name)) length += textLength(value);
  }
  return length;
}

/** Members that a vendor writes into the prompt as JSON: tools, calls of them, schemas. */
const jsonMembers: ReadonlySet<string> = new Set([
  "tools",
  "functions",
  "tool_calls",
  "function_call",
  "arguments",
  "name",
  "response_format",
  "format",
  "output_config",
  "variables",
]);

/** Members that hold a picture, a recording or a file, or say where it is. */
const attachmentMembers: ReadonlySet<string> = new Set([
  "image_url",
  "input_audio",
  "source",
  "file",
  "file_data",
  "file_url",
]);

/** About the most that a usual picture costs, in tokens. */
const attachmentTokens = 2000;

/** Characters of the base64 of a file for a token: a page of 2000 tokens has seldom less than 15 kB. */
const fileCharactersPerToken = 10;

/** Files whose pages are read as text and pictures. */
const fileTypes: ReadonlySet<unknown> = new Set(["document", "file", "input_file"]);

/**
 * Estimated tokens of all that the model reads: a token for four characters of text, of tools,
 * their calls and schemas; 2000 for a picture, and at least that for a file. An embeddings call
 * may give tokens instead, in a list or several: they are counted.
 */
export function estimatePromptTokens(body: JsonObject): number {
  const tokens = asArrayOrEmpty(body["input"])
    .flat()
    .filter((item) => typeof item === "number");
  const text = estimateTextTokens(promptTextLength(body) + jsonLength(body));
  return text + tokens.length + attachmentTokensOf(body);
}

/** Characters of the members that a vendor writes into the prompt as JSON. */
function jsonLength(value: unknown): number {
  if (Array.isArray(value)) return sum(value.map(jsonLength));
  const object = asObject(value) ?? {};
  const isToolUse = typeof object["type"] === "string" && object["type"].endsWith("tool_use");
  return sum(
    Object.entries(object).map(([name, member]) => {
      const isJson = jsonMembers.has(name) || (isToolUse && name === "input");
      if (isJson) return JSON.stringify(member).length;
      return textMembers.has(name) ? jsonLength(member) : 0;
    }),
  );
}

function attachmentTokensOf(value: unknown): number {
  if (Array.isArray(value)) return sum(value.map(attachmentTokensOf));
  const object = asObject(value) ?? {};
  return sum(
    Object.entries(object).map(([name, member]) => {
      if (!attachmentMembers.has(name))
        return textMembers.has(name) ? attachmentTokensOf(member) : 0;
      const length = fileTypes.has(object["type"]) ? JSON.stringify(member).length : 0;
      return Math.max(attachmentTokens, Math.ceil(length / fileCharactersPerToken));
    }),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function textLength(value: unknown): number {
  if (typeof value === "string") return countCodePoints(value);
  const object = asObject(value);
  if (object !== undefined) return promptTextLength(object);
  return asArrayOrEmpty(value).reduce<number>((total, item) => total + textLength(item), 0);
}

/** Where a caller of each dialect says how long its answer may be; the first that is given counts. */
const capMembers: Readonly<Record<DialectId, readonly string[]>> = {
  dialect_chat: ["max_completion_tokens", "max_tokens"],
  dialect_messages: ["max_tokens"],
  dialect_responses: ["max_output_tokens"],
};

/**
 * Output tokens that a caller asks for at most; undefined: as many as the model
 * gives. A cap of another dialect is none: no upstream keeps to it.
 */
export function readMaxOutputTokens(dialect: DialectId, body: JsonObject): number | undefined {
  const caps = capMembers[dialect].map((name) => body[name]);
  const cap = caps.find((value) => typeof value === "number" && value >= 0);
  return cap === undefined ? undefined : Math.ceil(Number(cap));
}
