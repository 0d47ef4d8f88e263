import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { sanitizeTerminalLine } from "../format-cell.ts";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";
import { readStringMemberOrEmpty } from "../read-string-member.ts";

/** Whether an output item is the call of a tool, whoever runs it. */
export function isToolCall(item: JsonObject): boolean {
  return readStringMemberOrEmpty(item, "type").endsWith("_call");
}

/** Which tool, and with what: `→ tracker.search {"text":"crash"}`. */
export function formatToolCall(item: JsonObject): string {
  return `→ ${toolDisplayName(item)} ${oneLine(readStringMemberOrEmpty(item, "arguments") || readStringMemberOrEmpty(item, "input"))}`.trimEnd();
}

/** The tool of a call or of a request for approval: `tracker.search`, or `web search` for one of the vendor's. */
export function toolDisplayName(item: JsonObject): string {
  const name = readStringMemberOrEmpty(item, "name");
  if (name === "")
    return sanitizeTerminalLine(
      readStringMemberOrEmpty(item, "type")
        .replace(/_call$/, "")
        .replaceAll("_", " "),
    );
  const server = readStringMemberOrEmpty(item, "server_label");
  return sanitizeTerminalLine(server === "" ? name : `${server}.${name}`);
}

/** What a call came to, if the item says so; undefined: its output is an item of its own, or is not told. */
export function formatToolResultLine(item: JsonObject): string | undefined {
  const { error, output } = item;
  if (error !== undefined && error !== null) return `← failed: ${oneLine(wordsOf(error))}`;
  if (output === undefined || output === null) return undefined;
  return `← ${oneLine(wordsOf(output)) || "(nothing)"}`;
}

/** Text as it is, that of parts joined, the message of an error, all else as JSON. */
function wordsOf(value: JsonValue): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(wordsOf).join(" ");
  if (!isProtobufJsonObject(value)) return JSON.stringify(value);
  const { text, message, content, type } = value;
  if (typeof text === "string") return text;
  if (typeof message === "string") return message;
  if (content !== undefined) return wordsOf(content);
  return typeof type === "string" ? `[${type}]` : JSON.stringify(value);
}

function oneLine(text: string): string {
  return sanitizeTerminalLine(text.replaceAll(/\s+/g, " ").trim());
}
