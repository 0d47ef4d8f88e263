import { describe, expect, it, onTestFinished, vi } from "vitest";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import type { DependencyFileToAudit } from "../../../src/cli/audit/audit-file.ts";
import { buildAuditReport } from "../../../src/cli/audit/audit-report.ts";
import { AuditBaseline, readAuditBaselineEntries } from "../../../src/cli/audit/baseline.ts";
import { splitIntoQueryPages } from "../../../src/cli/audit/query-pages.ts";
import {
  buildAuditPackageQueries,
  type AuditPackageQuery,
} from "../../../src/cli/audit/package-query.ts";
import { readAuditFiles } from "../../../src/cli/audit/read-audit-files.ts";
import { expectLinear } from "../../support/growth.ts";

vi.setConfig({ testTimeout: 120_000 });

const checkedAt = "2026-11-20T00:00:00.000Z";
const terms = { failOn: new Set(["deprecated"]), today: "2026-11-20" };

type Entry = readonly [name: string, version: string];

function lockFile(count: number, entryOf: (at: number) => Entry): DependencyFileToAudit {
  const entries = Array.from({ length: count }, (_, at) => entryOf(at));
  return {
    path: "package-lock.json",
    kind: "package-lock.json",
    unparsed: [],
    dependencies: entries.map(([name, version], line) => ({
      ecosystem: "npm",
      name,
      requested: version,
      version,
      relation: "transitive",
      groups: [],
      paths: [],
      line,
    })),
  };
}

function baselineOf(questions: readonly AuditPackageQuery[]): AuditBaseline {
  const folder = mkdtempSync(join(tmpdir(), "causeway-audit-time-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "baseline.json");
  const accepted = questions.map(({ ecosystem, name, version }) => ({
    ecosystem,
    name,
    version,
    finding: "deprecated",
    reason: "for now",
    expires: "2027-01-31",
  }));
  writeFileSync(path, JSON.stringify({ version: 1, accepted }));
  return new AuditBaseline(readAuditBaselineEntries(path), terms.today);
}

function rowOf({ ecosystem, name, version = "" }: AuditPackageQuery): JsonObject {
  return { ecosystem, name, version, requested: version, verdict: "deprecated", reasons: [] };
}

describe("an audit of one lock file", () => {
  it.each<[string, (at: number) => Entry]>([
    ["20,000 packages", (at) => [`p${at}`, "1.0.0"]],
    ["20,000 versions of one package", (at) => ["p", `1.0.${at}`]],
    ["20,000 unusual versions of one package", (at) => ["p", `1.0.0-a${at}`]],
    ["20,000 places of one package", () => ["p", "1.0.0"]],
  ])(
    "takes time that grows with their number for %s and as many accepted findings",
    (_what, entryOf) => {
      expectLinear(5000, (size) => {
        const file = lockFile(size, entryOf);
        const accepted = baselineOf(buildAuditPackageQueries([file]).questions);
        return () => {
          const { questions, unparsed } = buildAuditPackageQueries([file]);
          const answers = splitIntoQueryPages(questions).flatMap((page) =>
            page.questions.map((question) => ({ query: question, row: rowOf(question) })),
          );
          const parts = { files: [file], results: answers, unparsed, checkedAt };
          const report = buildAuditReport(parts, { ...terms, baseline: accepted });
          expect(report.unused).toEqual([]);
        };
      });
    },
  );
});

describe("an audit of a manifest next to its lock file", () => {
  it("takes time that grows with the number of repositories and of packages of branches", () => {
    expectLinear(4000, (size) => {
      const folder = mkdtempSync(join(tmpdir(), "causeway-audit-time-"));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const numbers = Array.from({ length: size }, (_, at) => at);
      const repositories = numbers.map((at) => ({ type: "vcs", url: `https://a${at}.example` }));
      const packages = numbers.map((at) => ({ name: `a/b${at}`, version: "dev-main" }));
      const lock = { packages: [{ name: "a/a", version: "1.0.0" }, ...packages] };
      writeFileSync(join(folder, "composer.json"), JSON.stringify({ repositories }));
      writeFileSync(join(folder, "composer.lock"), JSON.stringify(lock));
      return () => {
        const unparsed = readAuditFiles([folder], "auto").flatMap((file) => file.unparsed);
        expect(unparsed).toHaveLength(2 * size);
      };
    });
  });
});

describe("paginateQueries", () => {
  it("asks about 8,000 versions of one package in 320 calls", () => {
    const { questions } = buildAuditPackageQueries([lockFile(8000, (at) => ["p", `1.${at}.0`])]);
    const pages = splitIntoQueryPages(questions);
    expect(pages).toHaveLength(320);
    expect(pages.flatMap((page) => page.questions)).toEqual(questions);
  });

  it("asks about 100 unusual versions of one package and reports the others as too_many", () => {
    const { questions, unparsed } = buildAuditPackageQueries([
      lockFile(8000, (at) => ["p", `1.0.0-a${at}`]),
    ]);
    expect(splitIntoQueryPages(questions)).toHaveLength(100);
    expect(unparsed).toHaveLength(7900);
    expect(new Set(unparsed.map(({ reason }) => reason.split(":")[0]))).toEqual(
      new Set(["too_many"]),
    );
  });

  it("never puts a range beside another version of its package", () => {
    const range = (name: string, requested: string) => ({
      ecosystem: "npm" as const,
      name,
      requested,
      constraint: "range" as const,
      relation: "direct" as const,
      groups: [],
      paths: [],
    });
    const file = lockFile(3, (at) => ["p", `1.${at}.0`]);
    const dependencies = [...file.dependencies, range("p", "^1.0.0"), range("q", "^1.0.0")];
    const pages = splitIntoQueryPages(
      buildAuditPackageQueries([{ ...file, dependencies }]).questions,
    );
    const texts = pages.map((page) =>
      page.questions.map(({ name, requested }) => `${name} ${requested ?? ""}`),
    );
    expect(texts).toEqual([["p 1.0.0", "p 1.1.0", "p 1.2.0", "q ^1.0.0"], ["p ^1.0.0"]]);
  });
});

describe("buildPackageQueries", () => {
  it.each([
    ["p\ud800", "1.0.0", "invalid_name"],
    ["p\0", "1.0.0", "invalid_name"],
    ["p", "1.0.0\udfff", "invalid_specifier"],
  ])("reports %j %j, which the service refuses with its whole call", (name, version, reason) => {
    const { questions, unparsed } = buildAuditPackageQueries([lockFile(1, () => [name, version])]);
    expect(questions).toEqual([]);
    expect(unparsed.map((place) => place.reason.split(":")[0])).toEqual([reason]);
  });
});
