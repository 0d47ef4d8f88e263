import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { DependencyAuditReadBudget } from "../../../src/cli/audit/read-budget.ts";
import { readAuditFiles } from "../../../src/cli/audit/read-audit-files.ts";
import { parseRequirementsFile } from "../../../src/manifest/pypi/requirements-file.ts";

vi.setConfig({ testTimeout: 120_000 });

/** A folder with these files. */
function folderOf(files: Iterable<readonly [path: string, text: string]>): string {
  const folder = mkdtempSync(join(tmpdir(), "causeway-audit-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of files) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** The first word of each reason, and how often it is given. */
function reasonsOf(folder: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { unparsed } of readAuditFiles([folder], "auto")) {
    for (const { reason } of unparsed) {
      const word = /^(?:include: )?\w+/.exec(reason)?.[0] ?? reason;
      counts[word] = (counts[word] ?? 0) + 1;
    }
  }
  return counts;
}

function many<Item>(count: number, itemOf: (at: number) => Item): Item[] {
  return Array.from({ length: count }, (_, at) => itemOf(at));
}

describe("the limits of one audit", () => {
  it("stops to follow references after 100,000 of them and reports each of the others", () => {
    const includes = many(1000, (at) => `-r ../empty/${at}\n`).join("");
    const folder = folderOf([
      ...many(1000, (at): [string, string] => [`empty/${at}`, ""]),
      ...many(101, (at): [string, string] => [`f${at}/requirements.txt`, includes]),
    ]);
    expect(reasonsOf(folder)).toEqual({ "include: too_many": 1000 });
  });

  it("counts the files of all paths together", () => {
    const commas = `{${",".repeat(1_900_000)}`;
    const folder = folderOf(many(7, (at): [string, string] => [`f${at}/package.json`, commas]));
    const paths = many(7, (at) => join(folder, `f${at}/package.json`));
    const words = readAuditFiles(paths, "auto").flatMap(({ unparsed }) =>
      unparsed.map(({ reason }) => reason.split(":", 1)[0]),
    );
    expect(words).toEqual([...many(6, () => "invalid_json"), "too_many"]);
  });

  it("does not read a file with more entries than memory has room for", () => {
    const folder = folderOf([["requirements.txt", "a\n".repeat(2_000_001)]]);
    expect(reasonsOf(folder)).toEqual({ too_large: 1 });
  });

  it("keeps no more rows of a requirements.txt than the audit has room for", () => {
    const lines = many(50_000, (at) => `p${at}==1.0\np${at}==1.0\n`).join("");
    const own = parseRequirementsFile(
      lines,
      () => undefined,
      new DependencyAuditReadBudget({ rows: 1000 }),
    );
    expect(own.dependencies).toHaveLength(1000);
    const folder = folderOf([["requirements.txt", lines]]);
    const [file] = readAuditFiles([folder], "auto", new DependencyAuditReadBudget({ rows: 1000 }));
    expect(file?.unparsed).toMatchObject([
      { reason: expect.stringMatching(/^too_many: only 1000 of its /) as string },
    ]);
  });

  it("does not enter folders that are more than 64 deep, and reports it once", () => {
    const folder = folderOf([
      [`${"a/".repeat(64)}package.json`, "{}"],
      [`${"a/".repeat(200)}package.json`, "{}"],
    ]);
    const files = readAuditFiles([folder], "auto");
    expect(files).toHaveLength(2);
    expect(files[1]?.unparsed).toMatchObject([
      { reason: expect.stringMatching(/^too_many: folders/) as string },
    ]);
  });

  it("reads a lock file once for all manifests that it pins", () => {
    const dependencies = Object.fromEntries(many(5000, (at) => [`p${at}`, "1"]));
    const packages = Object.fromEntries(
      many(5000, (at) => [`node_modules/p${at}`, { version: "1" }]),
    );
    for (let at = 0; at < 2000; at += 1) Object.assign(packages, { [`w${at}`]: {} });
    const folder = folderOf([
      ["package-lock.json", JSON.stringify({ packages: { "": { dependencies }, ...packages } })],
      ...many(2000, (at): [string, string] => [
        `w${at}/package.json`,
        '{"dependencies":{"p1":"1"}}',
      ]),
      ...many(2000, (at): [string, string] => [`x${at}/Cargo.lock`, "version = 3\n"]),
    ]);
    const start = process.cpuUsage();
    const files = readAuditFiles([folder], "auto");
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(8000);
    expect(files).toHaveLength(4001);
  });

  it("follows no loop of linked folders", () => {
    const folder = folderOf([["a/package.json", "{}"]]);
    symlinkSync("..", join(folder, "a/loop"));
    expect(readAuditFiles([folder], "auto")).toHaveLength(1);
  });
});
