import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isProtobufJsonObject } from "../contract/json/decode-json.ts";

/** A value on one line: a dash for nothing, what is nested as pairs. */
export function formatTableCell(value: JsonValue): string {
  if (value === null) return "-";
  if (Array.isArray(value)) return value.map(formatTableCell).join(", ") || "-";
  if (isProtobufJsonObject(value)) return formatInlinePairs(value) || "-";
  return typeof value === "string" ? sanitizeTerminalLine(readableTime(value)) : String(value);
}

/** The members of an object, `ok=true models_found=3`. */
export function formatInlinePairs(object: JsonObject): string {
  const members = Object.entries(object).filter(([name]) => name !== "object");
  return members
    .map(([name, value]) => `${sanitizeTerminalLine(name)}=${formatTableCell(value)}`)
    .join(" ");
}

/** `2026-11-20T23:00:00.000Z` is `2026-11-20 23:00:00 UTC`. */
function readableTime(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{3}Z$/, "$1 $2 UTC");
}

/**
 * Characters that steer a terminal, reorder what is around them (Unicode TR 36) or cannot be seen.
 * Joiners stay, because emoji and Persian need them, and so do the visible signs of numbers among
 * the format characters.
 */
const steering =
  /[\p{Cc}\u2028\u2029\u115F\u1160\u3164\uFFA0]|(?!\u200C|\u200D|[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}])\p{Cf}/gu;

/** Text without characters that could steer the terminal or make it show something else than it says. */
export function sanitizeTerminalLine(text: string): string {
  return text.replaceAll(steering, "\u{fffd}");
}

/** Text of several lines without any other of these characters. */
export function sanitizeTerminalLines(text: string): string {
  return text
    .replaceAll("\r", "")
    .replaceAll(steering, (each) => (each === "\n" || each === "\t" ? each : "\u{fffd}"));
}

/**
 * Text that the runner of a CI job prints without obeying it: runners read `::command::` at the
 * beginning of a line, and `##[command]` or `##vso[command]` anywhere.
 */
export function escapeCiLogCommands(text: string): string {
  const lines = text
    .split("\n")
    .map((line) => (line.trimStart().startsWith("::") ? line.replace(":", "\u{fffd}") : line));
  return lines.join("\n").replaceAll(/#(?=#\w{0,20}\[)/g, "\u{fffd}");
}
