import type { JsonObject } from "@bufbuild/protobuf";
import { formatTableCell } from "./format-cell.ts";

/** Longer cells are cut; `--json` prints everything. */
const maxCellWidth = 60;

/** Rows under the names of their members, numbers at the right; `(none)` without a row. */
export function formatTable(rows: readonly JsonObject[]): string {
  return rows.length === 0 ? "(none)" : new StreamingTableFormatter().lines(rows).join("\n");
}

/** A table that more rows may follow, below those that were printed. */
export class StreamingTableFormatter {
  /** From the first rows on. */
  #columns: readonly string[] = [];
  #numbers: ReadonlySet<string> = new Set();
  #widths: readonly number[] = [];

  /** The lines of further rows, below the header the first time. A column grows where a cell needs it. */
  lines(rows: readonly JsonObject[]): string[] {
    const isFirst = this.#columns.length === 0;
    if (isFirst) this.#begin(rows);
    // Cells are formatted twice, because those of 300,000 rows take more memory than the table.
    this.#widths = this.#columns.map((name, index) =>
      rows.reduce(
        (width, row) => Math.max(width, cellText(row, name).length),
        isFirst ? name.length : (this.#widths[index] ?? 0),
      ),
    );
    const lines = rows.map((row) => this.#line(this.#columns.map((name) => cellText(row, name))));
    return isFirst ? [this.#line(this.#columns), ...lines] : lines;
  }

  #begin(rows: readonly JsonObject[]): void {
    this.#columns = [...new Set(rows.flatMap(Object.keys))].filter((name) => name !== "object");
    this.#numbers = new Set(this.#columns.filter((name) => isNumeric(rows, name)));
  }

  #line(texts: readonly string[]): string {
    const padded = texts.map((text, index) => {
      const width = this.#widths[index] ?? 0;
      const isNumber = this.#numbers.has(this.#columns[index] ?? "");
      return isNumber ? text.padStart(width) : text.padEnd(width);
    });
    return padded.join("  ").trimEnd();
  }
}

/** Whether a column has numbers and nothing else. */
function isNumeric(rows: readonly JsonObject[], name: string): boolean {
  const values = rows.map((row) => row[name] ?? null).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => typeof value === "number");
}

function cellText(row: JsonObject, name: string): string {
  return shorten(formatTableCell(row[name] ?? null));
}

function shorten(text: string): string {
  return text.length <= maxCellWidth ? text : `${text.slice(0, maxCellWidth - 1)}…`;
}
