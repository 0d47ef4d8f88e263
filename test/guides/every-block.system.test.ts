import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../support/causeway-process.ts";
import { guideSections } from "./guide-steps.ts";

const pages = [
  "quick-start.md",
  "official-clients.md",
  "local-models.md",
  "credits.md",
  "continuous-integration.md",
  "operations.md",
];

/** What the tests of guides follow, whichever run they belong to. */
const tests = ["guides", "polyglot", "redis"]
  .flatMap((folder) => {
    const path = join(repository, "test", folder);
    return readdirSync(path).map((name) => join(path, name));
  })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

describe.each(pages)("%s", (page) => {
  it("has no block that is neither tried nor said not to be", () => {
    const whole = tests.includes(`.follow("${page}")`);
    const left = guideSections(page).filter(
      (heading) => !whole && !tests.includes(`.follow("${page}", "${heading}")`),
    );
    expect(left).toEqual([]);
  });
});
