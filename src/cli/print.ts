import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** What a person reads: a table for a list, one `name: value` line per field for all else. */
export function readable(answer: JsonValue): string {
  if (!isObject(answer)) return JSON.stringify(answer);
  const rows = answer["data"];
  return Array.isArray(rows) ? table(rows.filter(isObject)) : fields(answer, "");
}

function fields(object: JsonObject, indent: string): string {
  const names = Object.keys(object).filter((name) => name !== "object");
  const width = Math.max(0, ...names.map((name) => name.length));
  return names.map((name) => field(name.padEnd(width), object[name] ?? null, indent)).join("\n");
}

function field(name: string, value: JsonValue, indent: string): string {
  if (isObject(value) && Object.keys(value).length > 0) {
    return `${indent}${name.trim()}:\n${fields(value, `${indent}  `)}`;
  }
  return `${indent}${name}  ${cell(value)}`;
}

function table(rows: readonly JsonObject[]): string {
  if (rows.length === 0) return "(none)";
  const columns = [...new Set(rows.flatMap(Object.keys))].filter((name) => name !== "object");
  const lines = [columns, ...rows.map((row) => columns.map((name) => cell(row[name] ?? null)))];
  const widths = columns.map((_, index) =>
    Math.max(...lines.map((line) => (line[index] ?? "").length)),
  );
  return lines
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function cell(value: JsonValue): string {
  if (value === null) return "-";
  if (Array.isArray(value)) return value.map(cell).join(",") || "-";
  return isObject(value) ? JSON.stringify(value) : String(value);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
