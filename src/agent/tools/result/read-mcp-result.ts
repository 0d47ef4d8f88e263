import type { AgentToolResult } from "../../../domain/agent-turn.ts";
import type { RawMcpToolResult } from "../mcp/mcp-connection.ts";
import { isJsonObject, type JsonObject } from "../../../platform/json-value.ts";
import type { SecretRedactor } from "./redact-secrets.ts";
import { McpToolResultBuilder } from "./result-builder.ts";

/** Blocks of a result that are looked at. */
const maxBlocks = 1000;

/** Kinds of pictures that every dialect with pictures takes. */
const imageType = /^image\/(?:png|jpeg|gif|webp)$/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * What a tool of an MCP server answered, as it is told to the model: texts and
 * pictures up to 256 KiB together, structured content where there is no text, and a
 * note in the place of what cannot be told. `scrub` takes out what nobody may see.
 */
export function convertMcpToolResult(
  { result, isTruncated: wasCut }: RawMcpToolResult,
  scrub: SecretRedactor,
): AgentToolResult {
  if (wasCut) redactLastText(result, scrub.redactCut);
  const parts = new McpToolResultBuilder(scrub);
  const content = Array.isArray(result["content"]) ? result["content"] : [];
  for (const block of content.slice(0, maxBlocks)) addBlock(parts, block);
  const { structuredContent } = result;
  if (structuredContent !== undefined && !parts.hasText) {
    parts.addText(serializeStructured(structuredContent, scrub));
  }
  const isWhole = !wasCut && content.length <= maxBlocks;
  return { output: parts.all(isWhole), isError: result["isError"] === true };
}

/** Redacts the text in which an answer was cut: it may end within a secret. Changes the answer. */
function redactLastText(answer: object, redactCut: (text: string) => string): void {
  for (let place = answer as Record<string, unknown>; ;) {
    const last = Array.isArray(place) ? String(place.length - 1) : Object.keys(place).at(-1);
    const value = last === undefined ? undefined : place[last];
    if (last !== undefined && typeof value === "string") place[last] = redactCut(value);
    if (typeof value !== "object" || value === null) return;
    place = value as Record<string, unknown>;
  }
}

function addBlock(parts: McpToolResultBuilder, block: unknown): void {
  if (!isJsonObject(block)) return parts.addNote("something that is no content of MCP");
  const { type, text, data, mimeType } = block;
  if (type === "text" && typeof text === "string") parts.addText(text);
  else if (type === "image") addPicture(parts, data, mimeType);
  else if (type === "resource_link") addLink(parts, block);
  else if (type === "resource") addResource(parts, block["resource"]);
  else if (type === "audio") parts.addNote("a sound, which cannot be shown here");
  else parts.addNote("content of a kind that cannot be shown here");
}

function addPicture(parts: McpToolResultBuilder, data: unknown, mimeType: unknown): void {
  const isPicture = typeof mimeType === "string" && imageType.test(mimeType);
  if (isPicture && typeof data === "string" && base64.test(data)) parts.addImage(mimeType, data);
  else parts.addNote("a picture in a form that cannot be shown here");
}

function addLink(parts: McpToolResultBuilder, { uri, name, description }: JsonObject): void {
  const said = [name, uri, description].filter((text) => typeof text === "string" && text !== "");
  parts.addText(`[resource] ${said.join(" – ")}`);
}

function addResource(parts: McpToolResultBuilder, resource: unknown): void {
  const { uri, text } = isJsonObject(resource) ? resource : {};
  if (typeof text !== "string") return parts.addNote("a resource that is no text");
  parts.addText(typeof uri === "string" ? `[resource] ${uri}\n${text}` : text);
}

/**
 * Scrubs each text before it is escaped, because a secret with a quote looks different then. V8
 * reads JSON of any depth, and prints it only as deep as its stack is.
 */
function serializeStructured(value: unknown, scrub: (text: string) => string): string {
  try {
    return JSON.stringify(value, (_name, member) =>
      typeof member === "string" ? scrub(member) : member,
    );
  } catch (error) {
    if (error instanceof RangeError) return "[structured content that is nested too deep]";
    throw error;
  }
}
