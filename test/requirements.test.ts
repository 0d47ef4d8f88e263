import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const repository = join(import.meta.dirname, "..");

/** An id in the title of a test, or in a row of a table of titles. */
const idPattern = /\[([a-z][a-z0-9-]*\.[A-Za-z0-9_-]+)\]/g;
const titlePattern =
  /^\s*(?:(?:it|test|describe)\b.*?|(?:\](?: as const)?\)\()?\[?\s*)["'`]\[[a-z]/;

const specified = [
  ...readFileSync(join(repository, "docs/engineering/requirements.md"), "utf8").matchAll(
    /^\| `([^`]+)` +\| (.*?) +\|$/gm,
  ),
].map(([, id = "", sentence = ""]) => ({ id, sentence }));

/** Ids in titles, by the file that holds them. */
function idsInTitles(): string[] {
  return readdirSync(join(repository, "test"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) => readFileSync(join(repository, "test", file), "utf8").split("\n"))
    .filter((line) => titlePattern.test(line))
    .flatMap((line) => [...line.matchAll(idPattern)].map(([, id = ""]) => id));
}

describe("requirements", () => {
  it("have unique ids and one sentence each", () => {
    const ids = specified.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(800);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(specified.filter(({ sentence }) => !sentence.endsWith("."))).toEqual([]);
  });

  it("have ids that equal the ids in the titles of tests", () => {
    const found = new Set(idsInTitles());
    const ids = new Set(specified.map(({ id }) => id));
    expect({
      withoutTest: [...ids].filter((id) => !found.has(id)),
      withoutSentence: [...found].filter((id) => !ids.has(id)),
    }).toEqual({ withoutTest: [], withoutSentence: [] });
  });
});
