import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unopenableIn } from "./unopenable.ts";

const repository = join(import.meta.dirname, "../..");

const files = globSync("{src,proto,scripts,test,docs}/**/*.{ts,sql,proto,md}", { cwd: repository })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => !/^test\/docs\/(?:unopenable|citations\.test)\.ts$/.test(file));

describe("sources, tests and pages", () => {
  it("cite nothing that a clone does not have", () => {
    expect(files.length).toBeGreaterThan(1000);
    const cited = files.flatMap((file) =>
      unopenableIn(readFileSync(join(repository, file), "utf8")).map((it) => `${file}: ${it}`),
    );
    expect(cited, "say the reason itself, or cite a page of docs/").toEqual([]);
  });
});

describe("unopenableIn()", () => {
  it.each([
    "/** Teams from outside (gateway seed, Teams). */",
    "the envelope of the\n * seeds",
    "a field that the seed calls optional",
    "/** Contract section 8. */",
    "the contract names (section 6, Models)",
    'it("case 14, pain 1: keeps calls apart"',
    'it("keeps calls apart (case 14)"',
    'it("pain 6: ends well"',
    "see issue 24",
    "as most clients do (dialects\n * reference, 3.5)",
  ])("finds the citation in %j", (text) => {
    expect(unopenableIn(text)).not.toEqual([]);
  });

  it.each([
    "new SeededRandom(seed)",
    "npm run soak -- --minutes 3 --seed 7",
    "A seed always makes the same cases; the seed decides what calls are made.",
    "the same for the same seed",
    "(RFC 6749,\n * section 6)",
    "(W3C Trace Context, section 3.2)",
    "(core specification\n * 2.0, section 5)",
    "switch (status) { case 401: return; }",
    "is HMAC-SHA-256 (RFC 4231, test case 2)",
    "known.set(reference, 1)",
    "Go modules reference, sections module and retract",
  ])("passes over %j", (text) => {
    expect(unopenableIn(text)).toEqual([]);
  });
});
