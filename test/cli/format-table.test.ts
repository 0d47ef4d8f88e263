import { describe, expect, it } from "vitest";
import { StreamingTableFormatter, formatTable } from "../../src/cli/format-table.ts";

describe("a table", () => {
  it("has numbers at the right, also where one is missing", () => {
    const rows = [
      { name: "a", ms: 5, mixed: 1 },
      { name: "bc", ms: 1234, mixed: "x" },
      { name: "d", ms: null, mixed: null },
    ];
    expect(formatTable(rows).split("\n")).toEqual([
      "name    ms  mixed",
      "a        5  1",
      "bc    1234  x",
      "d        -  -",
    ]);
  });

  it("goes on below what was printed, in columns that grow where they must", () => {
    const growing = new StreamingTableFormatter();
    expect(growing.lines([{ id: "a", ms: 1 }])).toEqual(["id  ms", "a    1"]);
    expect(growing.lines([{ id: "long", ms: 1000 }])).toEqual(["long  1000"]);
    expect(growing.lines([{ id: "b", ms: null, other: 1 }])).toEqual(["b        -"]);
  });

  it("formats more rows than a call may have arguments", () => {
    const rows = Array.from({ length: 200_000 }, (_, at) => ({ id: at }));
    expect(formatTable(rows).split("\n")).toHaveLength(200_001);
  });
});
