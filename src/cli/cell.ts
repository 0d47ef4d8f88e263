import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isJsonObject } from "../contract/json/decode-json.ts";

/** A value on one line: a dash for nothing, what is nested as pairs. */
export function cell(value: JsonValue): string {
  if (value === null) return "-";
  if (Array.isArray(value)) return value.map(cell).join(", ") || "-";
  if (isJsonObject(value)) return pairs(value) || "-";
  return typeof value === "string" ? printable(readableTime(value)) : String(value);
}

/** The members of an object, `ok=true models_found=3`. */
export function pairs(object: JsonObject): string {
  const members = Object.entries(object).filter(([name]) => name !== "object");
  return members.map(([name, value]) => `${printable(name)}=${cell(value)}`).join(" ");
}

/** `2026-11-20T23:00:00.000Z` is `2026-11-20 23:00:00 UTC`. */
function readableTime(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{3}Z$/, "$1 $2 UTC");
}

/** Text without control characters, which could steer the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, "\u{fffd}");
}

/** Text of several lines without any other control characters. */
export function printableLines(text: string): string {
  return text.replaceAll("\r", "").replaceAll(/[^\P{Cc}\n\t]/gu, "\u{fffd}");
}
