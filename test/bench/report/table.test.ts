import { expect, test } from "vitest";
import { markdown, tableOf } from "./table.ts";

const rows = [
  { name: "nginx", cost: "17.5", spare: "" },
  { name: "bare", cost: "", spare: "" },
];
const columns = [
  { heading: "variant", cell: (row: (typeof rows)[number]) => row.name },
  { heading: "CPU", cell: (row: (typeof rows)[number]) => row.cost },
  { heading: "spare", cell: (row: (typeof rows)[number]) => row.spare },
];

test("a table is aligned Markdown without columns that have no figure", () => {
  expect(markdown(tableOf("Cost", "9 rounds.", columns, rows))).toBe(
    [
      "### Cost",
      "",
      "9 rounds.",
      "",
      "| variant |  CPU |",
      "| ------- | ---: |",
      "| nginx   | 17.5 |",
      "| bare    |      |",
    ].join("\n"),
  );
});
