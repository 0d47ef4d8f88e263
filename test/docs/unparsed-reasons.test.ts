import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeSpans } from "./markdown.ts";

const repository = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(repository, path), "utf8");

/** Words that the sources write as the beginning of a reason. */
function reasonsIn(source: string): string[] {
  const pattern = /(?:\breason: |UnreadableTextError\(\s*|[rR]eason = )["`]([a-z_]+)["`:]/g;
  return [...source.matchAll(pattern)].map(([, word = ""]) => word);
}

describe("docs/dependency-health.md", () => {
  it("has every reason for which a text is unparsed", () => {
    const sources = globSync("src/{manifest,cli/audit}/**/*.ts", { cwd: repository });
    const reasons = new Set(sources.flatMap((path) => reasonsIn(read(path))));
    expect(reasons.size).toBeGreaterThan(25);
    const rows = read("docs/dependency-health.md")
      .split("\n")
      .filter((line) => line.startsWith("|"));
    const documented = new Set(
      rows
        .flatMap((row) => codeSpans(row.split("|")[1] ?? ""))
        .map((span) => span.split(":", 1)[0]),
    );
    expect([...reasons].filter((reason) => !documented.has(reason)).toSorted()).toEqual([]);
  });
});
