import { describe, expect, it } from "vitest";
import { npmPackageDocumentParser } from "../../../src/depshealth/ecosystem/npm.ts";
import { pypiProjectParser } from "../../../src/depshealth/ecosystem/pypi-project.ts";
import { pypiSimpleIndexParser } from "../../../src/depshealth/ecosystem/pypi-simple.ts";
import type { PackageVersionFacts } from "../../../src/depshealth/facts.ts";
import type { DataSourceDocumentParser } from "../../../src/depshealth/fetch/read-document.ts";

const time = "2026-01-02T03:04:05.123456Z";
const versions = Array.from({ length: 24_000 }, (_, index) => `1.${index}.0`);

function byVersion(facts: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(versions.map((version) => [version, facts]));
}

const documents: readonly (readonly [
  string,
  DataSourceDocumentParser<{ readonly versions: readonly PackageVersionFacts[] }>,
  unknown,
])[] = [
  [
    "pypiProjectParser",
    pypiProjectParser,
    { info: { name: "big" }, releases: byVersion([{ upload_time: time }]) },
  ],
  [
    "pypiSimpleIndexParser",
    pypiSimpleIndexParser,
    {
      name: "big",
      versions,
      files: versions.map((it) => ({ filename: `big-${it}.tar.gz`, "upload-time": time })),
    },
  ],
  [
    "npmPackageDocumentParser",
    npmPackageDocumentParser,
    { name: "big", versions: byVersion({ license: "MIT" }), time: byVersion(time) },
  ],
];

/** Counts turns of the event loop that other work has while a document is read. */
async function countTurns(
  read: (typeof documents)[number][1],
  document: unknown,
): Promise<{ readonly turns: number; readonly sorted: readonly PackageVersionFacts[] }> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  async function* body() {
    yield Buffer.from(JSON.stringify(document));
  }
  setImmediate(count);
  const { versions: sorted } = await read(body(), {});
  isOver = true;
  return { turns, sorted };
}

describe.each(documents)("%s", (_name, read, document) => {
  it("lets other work run between 2000 versions of a document of 24,000", async () => {
    const { turns, sorted } = await countTurns(read, document);
    expect(sorted.map(({ version }) => version)).toEqual(versions.toReversed());
    expect(sorted.every(({ releasedAt }) => releasedAt !== null)).toBe(true);
    // Twelve batches are made and twelve are parsed for the sort.
    expect(turns).toBeGreaterThanOrEqual(24);
  });
});
