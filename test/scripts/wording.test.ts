import { describe, expect, it } from "vitest";
import { compareCounts } from "../../scripts/wording/compare-counts.ts";
import { textsInCode, textsInLines } from "../../scripts/wording/find-texts.ts";
import { findHits, wordingPatterns } from "../../scripts/wording/patterns.ts";

describe("wording patterns", () => {
  it.each(wordingPatterns)("find their own example: $name", ({ name, example }) => {
    const kinds = ["comment", "doc comment", "title"] as const;
    const found = kinds.flatMap((kind) => findHits(kind, example));
    expect(found.map(({ pattern }) => pattern)).toContain(name);
  });

  it("find nothing in a plain sentence", () => {
    const text = "Returns the key, or undefined if the account has no such key.";
    expect(findHits("doc comment", text)).toEqual([]);
  });
});

describe("textsInCode", () => {
  it("finds comments, titles and texts, without code spans and ids of requirements", () => {
    const code = [
      "/**",
      " * Reads `who told` a key,",
      " * and more.",
      " */",
      'export const text = "two words", word = "word"; // because',
      'it.each([1])("[key.read] [key.two] rejects a key", () => {});',
      "const made = `a key of ${text} here`;",
    ].join("\n");
    const found = textsInCode("a.ts", code).toSorted((one, other) => one.line - other.line);
    expect(found).toEqual([
      { kind: "doc comment", line: 1, text: "Reads ` a key, and more." },
      { kind: "comment", line: 5, text: "because" },
      { kind: "string", line: 5, text: "two words" },
      { kind: "title", line: 6, text: "rejects a key" },
      { kind: "string", line: 7, text: "a key of" },
      { kind: "string", line: 7, text: "here" },
    ]);
  });
});

describe("textsInLines", () => {
  it("finds the lines of a page, without code blocks", () => {
    const page = ["# Keys", "", "```sh", "who told it", "```", "Create a key."].join("\n");
    expect(textsInLines("a.md", page).map(({ line, text }) => [line, text])).toEqual([
      [1, "# Keys"],
      [6, "Create a key."],
    ]);
  });

  it("finds the comments of a proto file", () => {
    const proto = ["// A key.", "message Key {", "  string id = 1; // Its id.", "}"].join("\n");
    expect(textsInLines("a.proto", proto).map(({ line, text }) => [line, text])).toEqual([
      [1, "A key."],
      [3, "Its id."],
    ]);
  });
});

describe("compareCounts", () => {
  it("lists folders with more or fewer hits than recorded; a folder without a count has zero", () => {
    const counted = { a: 2, b: 4, d: 1 };
    const { higher, lower, total } = compareCounts({ a: 2, b: 3, c: 1 }, counted);
    expect(higher.map((line) => line[0])).toEqual(["b", "d"]);
    expect(lower.map((line) => line[0])).toEqual(["c"]);
    expect(total).toBe(1);
  });
});
