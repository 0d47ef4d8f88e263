import {
  asArrayOrEmpty,
  asObject,
  asString,
  type JsonObject,
} from "../../../../src/dialect/json.ts";
import { elements, extraInputs, violationIf, type Violation } from "../violation.ts";
import { signatureOf } from "../signature.ts";

/** Members of a block by its type, besides `type` and `cache_control`. */
const members: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "citations"],
  image: ["source"],
  document: ["source", "title", "context", "citations"],
  search_result: ["source", "title", "content", "citations"],
  tool_use: ["id", "name", "input", "caller"],
  tool_result: ["tool_use_id", "content", "is_error"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  tool_reference: ["tool_name"],
  tool_addition: ["tool"],
  tool_removal: ["tool"],
};

/** Types by the role that they belong to. */
const places: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image", "document", "search_result", "tool_result"],
  assistant: ["text", "thinking", "redacted_thinking", "tool_use"],
  system: ["text", "tool_addition", "tool_removal"],
  tool_result: ["text", "image", "document", "search_result", "tool_reference"],
};

/** The content of a message as blocks, each with its place. */
export function blocksOf(
  content: unknown,
  path: string,
): readonly (readonly [JsonObject, string])[] {
  if (typeof content === "string") return [[{ type: "text", text: content }, path]];
  return elements(content, path);
}

/** What the vendor refuses in a block of a message of that role, or of a result. */
export function blockFaults(
  block: JsonObject,
  path: string,
  role: unknown,
  body: JsonObject,
): readonly Violation[] {
  const type = String(block["type"]);
  const known = new Set(["type", "cache_control", ...(members[type] ?? [])]);
  return [
    ...violationIf(
      !(places[String(role)] ?? []).includes(type),
      `${path}.type`,
      `Input tag '${type}' does not match any of the expected tags`,
    ),
    ...extraInputs(block, known, path),
    ...cacheFaults(block, path),
    ...typeFaults(block, path, body),
  ];
}

function cacheFaults(
  { type, cache_control: value }: JsonObject,
  path: string,
): readonly Violation[] {
  const control = asObject(value);
  if (control === undefined) return [];
  const isThought = type === "thinking" || type === "redacted_thinking";
  return [
    ...violationIf(isThought, `${path}.cache_control`, "Extra inputs are not permitted"),
    ...extraInputs(control, new Set(["type", "ttl", "scope"]), `${path}.cache_control`),
    ...violationIf(
      !["5m", "1h", undefined].includes(control["ttl"] as string),
      `${path}.cache_control.ttl`,
      "Input should be '5m' or '1h'",
    ),
  ];
}

function typeFaults(block: JsonObject, path: string, body: JsonObject): readonly Violation[] {
  switch (block["type"]) {
    case "text":
      return violationIf(
        !/\S/.test(asString(block["text"]) ?? ""),
        path,
        "text content blocks must be non-empty",
      );
    case "thinking":
      return violationIf(
        block["signature"] !== signatureOf(String(block["thinking"])),
        `${path}.signature`,
        "Invalid `signature` in `thinking` block",
      );
    case "redacted_thinking":
      return violationIf(
        block["data"] !== signatureOf(""),
        `${path}.data`,
        "Invalid `data` in `redacted_thinking` block",
      );
    case "tool_use":
      return callFaults(block, path);
    case "tool_result":
      return resultFaults(block, path, body);
    case "tool_reference":
      return violationIf(
        !declares(body, block["tool_name"]),
        path,
        `Tool reference '${String(block["tool_name"])}' not found in available tools`,
      );
    case "image":
      return imageFaults(asObject(block["source"]) ?? {}, `${path}.source`);
    default:
      return [];
  }
}

/** A tool may have nothing to say, unless it failed. */
function resultFaults(
  { content, is_error: isError }: JsonObject,
  path: string,
  body: JsonObject,
): readonly Violation[] {
  const blocks = content === "" ? [] : blocksOf(content ?? [], `${path}.content`);
  return [
    ...violationIf(
      isError === true && blocks.length === 0,
      `${path}.content`,
      "content cannot be empty if `is_error` is true",
    ),
    ...blocks.flatMap(([inner, place]) => blockFaults(inner, place, "tool_result", body)),
  ];
}

function callFaults({ id, name, input }: JsonObject, path: string): readonly Violation[] {
  return [
    ...violationIf(
      !/^[a-zA-Z0-9_-]+$/.test(String(id)),
      `${path}.id`,
      "String should match pattern '^[a-zA-Z0-9_-]+$'",
    ),
    ...violationIf(
      !/^[a-zA-Z0-9_-]{1,200}$/.test(String(name)),
      `${path}.name`,
      "String should match pattern '^[a-zA-Z0-9_-]{1,200}$'",
    ),
    ...violationIf(
      asObject(input) === undefined,
      `${path}.input`,
      "Input should be a valid dictionary",
    ),
  ];
}

function declares({ tools }: JsonObject, name: unknown): boolean {
  return asArrayOrEmpty(tools).some((tool) => asObject(tool)?.["name"] === name);
}

const mediaTypes = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function imageFaults(source: JsonObject, path: string): readonly Violation[] {
  if (source["type"] === "url") {
    const url = asString(source["url"]) ?? "";
    return violationIf(!url.startsWith("https://"), `${path}.url`, "Only HTTPS URLs are supported");
  }
  return [
    ...violationIf(
      source["type"] !== "base64",
      `${path}.type`,
      "Input should be 'base64' or 'url'",
    ),
    ...violationIf(
      !mediaTypes.has(String(source["media_type"])),
      `${path}.media_type`,
      "Input should be a supported image type",
    ),
    ...violationIf(
      !/^[A-Za-z0-9+/]+=*$/.test(String(source["data"])),
      `${path}.data`,
      "Invalid base64 data",
    ),
  ];
}
