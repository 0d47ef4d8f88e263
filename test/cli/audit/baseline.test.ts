import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readAuditFiles } from "../../../src/cli/audit/read-audit-files.ts";
import { buildAuditJson } from "../../../src/cli/audit/audit-json.ts";
import {
  buildAuditReport,
  listAuditFindings,
  type AuditReport,
} from "../../../src/cli/audit/audit-report.ts";
import { buildAuditSarif } from "../../../src/cli/audit/audit-sarif.ts";
import {
  AuditBaseline,
  readAuditBaselineEntries,
  writeAuditBaselineEntries,
} from "../../../src/cli/audit/baseline.ts";
import { buildAuditPackageQueries } from "../../../src/cli/audit/package-query.ts";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "causeway-baseline-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("writeBaseline", () => {
  it("writes nothing through a dangling link", () => {
    const folder = temporaryFolder();
    symlinkSync(join(folder, "outside"), join(folder, "b.json"));
    expect(() => writeAuditBaselineEntries(join(folder, "b.json"), [])).toThrow(
      "not a regular file",
    );
    expect(existsSync(join(folder, "outside"))).toBe(false);
  });

  it("creates and replaces a regular file", () => {
    const path = join(temporaryFolder(), "b.json");
    writeAuditBaselineEntries(path, []);
    writeAuditBaselineEntries(path, []);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ version: 1, accepted: [] });
  });
});

describe("readBaseline", () => {
  it("rejects a device", () => {
    expect(() => readAuditBaselineEntries("/dev/null")).toThrow("no regular file");
  });
});

const today = "2026-11-20";
const textDigest = (text: string) => createHash("sha256").update(text).digest("hex");
const digest = (word: string, text: string) => textDigest(`${word} ${textDigest(text)}`);

/** Audits a requirements.txt with one line behind a comment. */
function auditLine(line: string, entry?: Readonly<Record<string, string>>): AuditReport {
  const folder = temporaryFolder();
  const file = join(folder, "requirements.txt");
  writeFileSync(file, `# a comment\n${line}\n`);
  const path = join(folder, "b.json");
  const given = { file, finding: "unparsed", reason: "known", expires: "2027-01-31", ...entry };
  const accepted = entry === undefined ? [] : [given];
  writeFileSync(path, JSON.stringify({ version: 1, accepted }));
  const files = readAuditFiles([file], "auto");
  const { unparsed } = buildAuditPackageQueries(files);
  const parts = { files, results: [], unparsed, checkedAt: `${today}T00:00:00.000Z` };
  const baseline = new AuditBaseline(readAuditBaselineEntries(path), today);
  return buildAuditReport(parts, { failOn: new Set(["unparsed"]), today, baseline });
}

function isFailing(report: AuditReport): readonly boolean[] {
  return listAuditFindings(report).map((finding) => finding.isFailing);
}

const secret = "git+https://user:one@git.example/a.git";
const long = `git+https://git.example/${"a".repeat(400)}`;

describe("a baseline entry of an unread line", () => {
  it.each<[string, string, Readonly<Record<string, string>>]>([
    ["its digest", "!!", { text: "line 9", sha256: digest("invalid_line", "!!") }],
    [
      "the digest of an address with a password",
      secret,
      { text: "x", sha256: digest("git", secret) },
    ],
    ["the digest of a long address", long, { text: "x", sha256: digest("git", long) }],
  ])("accepts it by %s", (_what, line, entry) => {
    const report = auditLine(line, entry);
    expect(isFailing(report)).toEqual([false]);
    expect(report.unused).toEqual([]);
  });

  it.each<[string, string, Readonly<Record<string, string>>]>([
    ["the number of its line", "??", { text: "line 2" }],
    ["its whole text", "git+https://git.example/a", { text: "git+https://git.example/a" }],
    ["the digest of its text", "??", { text: "line 2", sha256: textDigest("??") }],
    ["a masked address", secret, { text: "git+https://***@git.example/a.git" }],
    ["the beginning of an address", long, { text: `${long.slice(0, 300)}…` }],
  ])("is reported as outdated with %s alone", (_what, line, entry) => {
    const report = auditLine(line, entry);
    expect(isFailing(report)).toEqual([true]);
    expect([...report.outdated]).toEqual(report.unused);
    expect(buildAuditJson(report)["unused_baseline_entries"]).toMatchObject([{ outdated: true }]);
  });

  it("does not accept another line by the digest of an earlier one", () => {
    const report = auditLine("??", { text: "line 2", sha256: digest("invalid_line", "!!") });
    expect(isFailing(report)).toEqual([true]);
  });
});

describe("formatAuditSarif", () => {
  it.each([
    ["!!", "??"],
    [secret, secret.replace("one", "two")],
    [`${long}1`, `${long}2`],
  ])("gives %j and %j on one line other fingerprints", (one, other) => {
    const [first, second] = [one, other].map((line) => {
      const { runs } = buildAuditSarif(auditLine(line)) as unknown as {
        runs: [{ results: [{ partialFingerprints: Record<string, string> }] }];
      };
      return runs[0].results[0].partialFingerprints["causeway/v1"];
    });
    expect(first).not.toBe(second);
  });
});
