import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "./rest-json.ts";

/** Longer cells of a table are cut; `--json` prints everything. */
const widestCell = 60;

/**
 * What a person reads: a table for a list, one `name  value` line per field for
 * all else, with a table below the name of a field that is a list of objects.
 * Control characters are taken out, since others may have chosen the text and a
 * terminal would obey it.
 */
export function readable(answer: JsonObject): string {
  const rows = listOf(answer);
  if (rows !== undefined) return [table(rows.filter(isObject)), ...nextPage(answer)].join("\n");
  const names = Object.keys(answer);
  return names.length === 0 ? "done" : fields(answer, "");
}

/** `data` of an envelope, or the one field of an answer that is nothing but a list of objects. */
function listOf(answer: JsonObject): readonly JsonValue[] | undefined {
  const { data } = answer;
  if (Array.isArray(data)) return data;
  const values = Object.values(answer);
  const [only] = values;
  return values.length === 1 && isTable(only) ? only : undefined;
}

function isTable(value: JsonValue | undefined): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
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
  if (isTable(value)) return `${indent}${printable(name)}:\n${indented(table(value), indent)}`;
  return `${indent}${printable(name).padEnd(width)}  ${cell(value)}`;
}

function indented(text: string, indent: string): string {
  return text.replaceAll(/^/gm, `${indent}  `);
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
  const members = Object.entries(object).filter(([name]) => name !== "object");
  const texts = members.map(([name, value]) => `${printable(name)}=${cell(value)}`);
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
