import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { compileWildcardMatcher } from "../../src/platform/wildcard-pattern.ts";

/** The definition, for short texts. */
function matches(pattern: string, text: string): boolean {
  if (pattern === "") return text === "";
  const [first = "", rest] = [pattern[0], pattern.slice(1)];
  if (first !== "*") return text.startsWith(first) && matches(rest, text.slice(1));
  return Array.from({ length: text.length + 1 }, (_, at) => text.slice(at)).some((end) =>
    matches(rest, end),
  );
}

const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 });
const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 10 });

describe("compileWildcardMatcher", () => {
  it("matches what any of its patterns matches", () => {
    const check = (patterns: string[], other: string): void => {
      const isAny = patterns.some((one) => matches(one, other));
      expect(compileWildcardMatcher(patterns)(other)).toBe(isAny);
    };
    fc.assert(fc.property(fc.array(pattern), text, check), { numRuns: 2000 });
  });

  it("reads each pattern once, however many texts it is compared with", () => {
    const split = vi.spyOn(String.prototype, "split");
    const isMatch = compileWildcardMatcher(["a*b", "c*", "d"]);
    const texts = Array.from({ length: 100 }, (_, at) => `a${at}b`);
    expect(texts.every(isMatch)).toBe(true);
    const calls = split.mock.calls.length;
    split.mockRestore();
    expect(calls).toBe(2);
  });
});
