import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { buildAuditReport, listAuditFindings } from "../../../src/cli/audit/audit-report.ts";
import { createAuditBaselineEntry, AuditBaseline } from "../../../src/cli/audit/baseline.ts";
import { buildAuditPackageQueries } from "../../../src/cli/audit/package-query.ts";
import { readAuditFiles } from "../../../src/cli/audit/read-audit-files.ts";

const today = "2026-11-20";

/** Texts of a file that fail, by the reasons, when another content of it was accepted. */
function failing(name: string, accepted: string, now: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "causeway-swapped-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const read = (content: string, baseline: AuditBaseline) => {
    writeFileSync(join(folder, name), content);
    const files = readAuditFiles([folder], "auto");
    const { unparsed } = buildAuditPackageQueries(files);
    const parts = { files, results: [], unparsed, checkedAt: `${today}T00:00:00.000Z` };
    const report = buildAuditReport(parts, { failOn: new Set(["unparsed"]), today, baseline });
    return listAuditFindings(report).filter(({ isFailing }) => isFailing);
  };
  const terms = { reason: "known", expires: "2027-01-31" };
  const entries = read(accepted, new AuditBaseline([], today)).map((found) =>
    createAuditBaselineEntry(found, terms),
  );
  expect(read(accepted, new AuditBaseline(entries, today))).toEqual([]);
  return read(now, new AuditBaseline(entries, today)).map(({ message }) => message);
}

const packageLock = (resolved: string, more = {}) => {
  const entry = { version: "1.0.0", resolved, ...more };
  return JSON.stringify({ lockfileVersion: 3, packages: { "node_modules/a": entry } });
};
const asked = (address: string) =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: {
      "": { dependencies: { a: address } },
      "node_modules/a": { version: "1.0.0", resolved: address },
    },
  });
const pnpm = (key: string, resolution: string) =>
  `lockfileVersion: '9.0'\npackages:\n  ${key}:\n    version: 1.0.0\n    resolution: ${resolution}\nsnapshots:\n  ${key}: {}\n`;
const python = (lines: string) => `version = 1\n[[package]]\nname = "a"\nversion = "1"\n${lines}\n`;
const pipfile = (entry: object) => JSON.stringify({ default: { a: entry } });
const gem = (section: string) => `${section}\n  remote: b\n  specs:\n    a (1.0)\n`;
const path = (dist: object) =>
  JSON.stringify({ packages: [{ name: "a/b", version: "1.0", dist }] });

it.each<[string, string, string, string]>([
  [
    "the address of an archive",
    "package-lock.json",
    packageLock("https://b.example/a.tgz"),
    packageLock("https://c.example/a.tgz"),
  ],
  [
    "the query of an address",
    "package-lock.json",
    packageLock("https://b.example/get?of=a"),
    packageLock("https://b.example/get?of=b"),
  ],
  [
    "an address that looks like one of a registry",
    "package-lock.json",
    asked("https://b.example/a/-/a-1.0.0.tgz"),
    asked("https://c.example/a/-/a-1.0.0.tgz"),
  ],
  [
    "an archive of this machine",
    "package-lock.json",
    packageLock("file:a.tgz"),
    packageLock("file:b.tgz"),
  ],
  [
    "the address of a block",
    "yarn.lock",
    '# yarn lockfile v1\n\n"a@https://b.example/a.tgz":\n  version "1.0.0"\n  resolved "https://b.example/a.tgz"\n',
    '# yarn lockfile v1\n\n"a@https://c.example/a.tgz":\n  version "1.0.0"\n  resolved "https://c.example/a.tgz"\n',
  ],
  [
    "the archive of a key",
    "pnpm-lock.yaml",
    pnpm("a@https://b.example/a.tgz", "{tarball: https://b.example/a.tgz}"),
    pnpm("a@https://b.example/a.tgz", "{tarball: https://c.example/a.tgz}"),
  ],
  [
    "the folder of a key",
    "pnpm-lock.yaml",
    pnpm("a@file:a", "{directory: a, type: directory}"),
    pnpm("a@file:a", "{directory: b, type: directory}"),
  ],
  [
    "the address of a package",
    "uv.lock",
    python('source = { url = "https://b.example/a.whl" }'),
    python('source = { url = "https://c.example/a.whl" }'),
  ],
  [
    "the archive of a package",
    "uv.lock",
    python('source = { path = "a.whl" }'),
    python('source = { path = "b.whl" }'),
  ],
  [
    "the address of a package",
    "poetry.lock",
    python('[package.source]\ntype = "url"\nurl = "https://b.example/a.whl"'),
    python('[package.source]\ntype = "url"\nurl = "https://c.example/a.whl"'),
  ],
  [
    "the address of a package",
    "Pipfile.lock",
    pipfile({ file: "https://b.example/a.whl" }),
    pipfile({ file: "https://c.example/a.whl" }),
  ],
  [
    "the folder of a package",
    "composer.lock",
    path({ type: "path", url: "b" }),
    path({ type: "path", url: "c" }),
  ],
  ["the reason", "Gemfile.lock", gem("GIT"), gem("PATH")],
  [
    "the address of a setting",
    "nuget.config",
    '<configuration><packageSources><add key="a" value="b" /></packageSources></configuration>',
    '<configuration><packageSources><add key="a" value="c" /></packageSources></configuration>',
  ],
])("a baseline does not accept %s of a %s when it has changed", (_what, name, accepted, now) => {
  expect(failing(name, accepted, now)).toHaveLength(1);
});

it("a baseline accepts an address without its user and its fragment", () => {
  const one = packageLock("https://user:one@b.example/a.tgz#sha1");
  const other = packageLock("https://user:two@b.example/a.tgz#sha2");
  expect(failing("package-lock.json", one, other)).toEqual([]);
});

it("a baseline accepts the host of a registry whatever the number of its packages is", () => {
  const lock = (...names: readonly string[]) =>
    JSON.stringify({
      lockfileVersion: 3,
      packages: Object.fromEntries(
        names.map((name) => {
          const resolved = `https://b.example/${name}/-/${name}-1.0.0.tgz`;
          return [`node_modules/${name}`, { version: "1.0.0", resolved }];
        }),
      ),
    });
  expect(failing("package-lock.json", lock("a"), lock("a", "b"))).toEqual([]);
});
