import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "./rest-json.ts";

/** Longer cells of a table are cut; `--json` prints everything. */
const widestCell = 60;

/**
 * What a person reads: a table for a list, one `name  value` line per field for
 * all else. Control characters are taken out, since others may have chosen the
 * text and a terminal would obey it.
 */
export function readable(answer: JsonObject): string {
  const rows = answer["data"];
  if (Array.isArray(rows)) return [table(rows.filter(isObject)), ...nextPage(answer)].join("\n");
  const names = Object.keys(answer);
  return names.length === 0 ? "done" : fields(answer, "");
}

/** How to ask for the rows that a list did not show. */
function nextPage({ has_more: hasMore, last_id: lastId }: JsonObject): string[] {
  return hasMore === true && typeof lastId === "string"
    ? [`more with --after-id ${printable(lastId)}`]
    : [];
}

function fields(object: JsonObject, indent: string): string {
  const names = Object.keys(object).filter((name) => name !== "object");
  const width = Math.max(0, ...names.map((name) => name.length));
  return names.map((name) => field(name, width, object[name] ?? null, indent)).join("\n");
}

function field(name: string, width: number, value: JsonValue, indent: string): string {
  if (isObject(value) && Object.keys(value).length > 0) {
    return `${indent}${printable(name)}:\n${fields(value, `${indent}  `)}`;
  }
  return `${indent}${printable(name).padEnd(width)}  ${cell(value)}`;
}

/** Rows under the names of their members; `(none)` without a row. */
export function table(rows: readonly JsonObject[]): string {
  if (rows.length === 0) return "(none)";
  const columns = [...new Set(rows.flatMap(Object.keys))].filter((name) => name !== "object");
  const lines = [
    columns,
    ...rows.map((row) => columns.map((name) => shortened(cell(row[name] ?? null)))),
  ];
  const widths = columns.map((_, index) =>
    Math.max(...lines.map((line) => (line[index] ?? "").length)),
  );
  return lines.map((line) => tableLine(line, widths)).join("\n");
}

function tableLine(texts: readonly string[], widths: readonly number[]): string {
  return texts
    .map((text, index) => text.padEnd(widths[index] ?? 0))
    .join("  ")
    .trimEnd();
}

function cell(value: JsonValue): string {
  if (value === null) return "-";
  if (Array.isArray(value)) return value.map(cell).join(", ") || "-";
  if (isObject(value)) return pairs(value);
  return typeof value === "string" ? printable(readableTime(value)) : String(value);
}

function pairs(object: JsonObject): string {
  const texts = Object.entries(object).map(([name, value]) => `${printable(name)}=${cell(value)}`);
  return texts.join(" ") || "-";
}

/** `2026-11-20T23:00:00.000Z` is `2026-11-20 23:00:00 UTC`. */
function readableTime(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{3}Z$/, "$1 $2 UTC");
}

/** Text without control characters, which could steer the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, "\u{fffd}");
}

function shortened(text: string): string {
  return text.length <= widestCell ? text : `${text.slice(0, widestCell - 1)}…`;
}
