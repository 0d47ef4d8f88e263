import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/**
 * Conformance cases of transcoding and pains of users of other gateways are
 * numbered; whoever looks for what proves one finds a test by its number.
 */
const lists = [
  { word: "case", last: 80 },
  // Those behind concern money, deployment and security, which have files of their own.
  { word: "pain", last: 43 },
] as const;

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"));

/** Numbers behind the word, also several: one list, or the word before each. */
function numbersOf(word: string): ReadonlySet<number> {
  const named = new RegExp(`\\b${word}s? (\\d+(?:(?:,| and) \\d+)*)`, "g");
  const lines = sources.flatMap((source) => [...source.matchAll(named)]);
  return new Set(lines.flatMap(([, list = ""]) => (list.match(/\d+/g) ?? []).map(Number)));
}

describe.each(lists)("numbered by $word", ({ word, last }) => {
  it("have a test each", () => {
    const named = numbersOf(word);
    const all = Array.from({ length: last }, (_none, at) => at + 1);
    expect(all.filter((number) => !named.has(number))).toEqual([]);
  });
});
