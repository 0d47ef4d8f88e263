import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { maxAdvisoryIds } from "../../../src/depshealth/source/osv.ts";
import { foldDatabase } from "./dropped-ids.ts";
import { readDatabases } from "./read-databases.ts";
import { readSuccessors } from "./replacements.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "causeway-databases-"));
  await file(
    "rustsec/crates/tempdir/RUSTSEC-2018-0017.md",
    '```toml\n[advisory]\nid = "RUSTSEC-2018-0017"\npackage = "tempdir"\ndate = "2018-02-13"\ninformational = "unmaintained"\n\n[versions]\npatched = []\n```\n\n# `tempdir` has been deprecated; use `tempfile` instead\n\nMerged into [`tempfile`](https://r.example/crates/tempfile).\n',
  );
  await file(
    "pypa/vulns/snake/PYSEC-2026-1.yaml",
    "id: PYSEC-2026-1\nmodified: '2026-01-01T00:00:00Z'\naffected:\n- package: {name: snake, ecosystem: PyPI}\n  ranges:\n  - type: ECOSYSTEM\n    events:\n    - introduced: '1.1'\n    - fixed: '1.3'\n  versions: ['1.1', '1.2']\n",
  );
});

afterAll(() => rm(folder, { recursive: true }));

async function file(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

it("[advisories.none-lost] finds every advisory of a database in what is answered", async () => {
  const [rustsec, pypa] = await Promise.all(readDatabases(folder).map(foldDatabase));
  expect(rustsec).toMatchObject({ database: "RustSec advisory-db", advisories: 1, lost: [] });
  expect(pypa).toMatchObject({ advisories: 1, packages: 1, versions: 3, hits: 2, lost: [] });
});

it("[advisories.none-lost] tells what is lost: a version of which more is published than is asked for", async () => {
  const documents = Array.from({ length: maxAdvisoryIds + 1 }, (_, index) => ({
    id: `GO-2026-${index}`,
    affected: [{ package: { name: "go.example/a", ecosystem: "Go" }, versions: ["1.0.0"] }],
  }));
  const many = { name: "many", ecosystem: "go", filedAs: "Go", documents } as const;
  expect((await foldDatabase(many)).lost).toEqual([`go.example/a@1.0.0 GO-2026-${maxAdvisoryIds}`]);
});

it("reads the successors that notices name as people do", () => {
  const [rustsec] = readDatabases(folder);
  expect(readSuccessors(rustsec?.documents ?? [])).toMatchObject({
    notices: 1,
    right: 1,
    wrong: [],
    missed: [],
  });
});
