import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { formatTableCell, sanitizeTerminalLine } from "./format-cell.ts";
import { isProtobufJsonObject } from "../contract/json/decode-json.ts";
import { formatTable } from "./format-table.ts";

/** A row of a list as people read it. */
export type CliTableRowMapper = (row: JsonObject) => JsonObject;

/**
 * What a person reads: a table for a list, one `name  value` line per field for
 * all else, with a table below the name of a field that is a list of objects.
 * Control characters are taken out, since others may have chosen the text and a
 * terminal would obey it.
 */
export function formatCliResultAsText(
  answer: JsonObject,
  view: CliTableRowMapper = (row) => row,
): string {
  const rows = listOf(answer);
  if (rows !== undefined) {
    return [formatTable(rows.filter(isProtobufJsonObject).map(view)), ...nextPage(answer)].join(
      "\n",
    );
  }
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
  return Array.isArray(value) && value.length > 0 && value.every(isProtobufJsonObject);
}

/** How to ask for the rows that a list did not show. */
function nextPage({ has_more: hasMore, last_id: lastId }: JsonObject): string[] {
  return hasMore === true && typeof lastId === "string"
    ? [`more with --after-id ${sanitizeTerminalLine(lastId)}`]
    : [];
}

function fields(object: JsonObject, indent: string): string {
  const names = Object.keys(object).filter((name) => name !== "object");
  const width = Math.max(0, ...names.map((name) => name.length));
  return names.map((name) => field(name, width, object[name] ?? null, indent)).join("\n");
}

function field(name: string, width: number, value: JsonValue, indent: string): string {
  if (isProtobufJsonObject(value) && Object.keys(value).length > 0) {
    return `${indent}${sanitizeTerminalLine(name)}:\n${fields(value, `${indent}  `)}`;
  }
  if (isTable(value))
    return `${indent}${sanitizeTerminalLine(name)}:\n${indentLines(formatTable(value), indent)}`;
  return `${indent}${sanitizeTerminalLine(name).padEnd(width)}  ${formatTableCell(value)}`;
}

function indentLines(text: string, indent: string): string {
  return text.replaceAll(/^/gm, `${indent}  `);
}
