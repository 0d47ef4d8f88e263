/** A table of the report. Every row has as many cells as there are columns. */
export interface Table {
  readonly title: string;
  /** A sentence below the title. */
  readonly note: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** One column: its heading and the cell of a row; "" stands for no figure. */
export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => string;
}

/** Builds a table; a column without a figure in any row is left out. */
export function tableOf<Row>(
  title: string,
  note: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Table {
  const shown = columns.filter(({ cell }) => rows.some((row) => cell(row) !== ""));
  return {
    title,
    note,
    columns: shown.map(({ heading }) => heading),
    rows: rows.map((row) => shown.map(({ cell }) => cell(row))),
  };
}

/** The table as Markdown, columns aligned so that it reads well as plain text too. */
export function markdown(table: Table): string {
  const lines = [table.columns, ...table.rows];
  const widths = table.columns.map((_, column) =>
    Math.max(3, ...lines.map((line) => (line[column] ?? "").length)),
  );
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  const [head = "", ...body] = lines.map((line) => `| ${line.map(pad).join(" | ")} |`);
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [`### ${table.title}`, "", table.note, "", head, `| ${rule.join(" | ")} |`, ...body].join(
    "\n",
  );
}
