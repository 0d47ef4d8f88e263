import { expect, it } from "vitest";
import { buildAuditReport, listAuditFindings } from "../../../src/cli/audit/audit-report.ts";
import { AuditBaseline } from "../../../src/cli/audit/baseline.ts";
import { parseBuildGradle } from "../../../src/manifest/maven/build-gradle.ts";
import { formatAuditText } from "../../../src/cli/audit/audit-text.ts";

it("prints what a registry says on one line, so that no log takes it for a command", () => {
  const message = "Version 1.0.0 is deprecated: gone\n::stop-commands::x\r\n## fine";
  const question = {
    ecosystem: "npm",
    name: "a",
    version: "1.0.0",
    requested: undefined,
    locations: [{ file: "package-lock.json", line: 3, relation: "direct", groups: [], paths: [] }],
  };
  const row = { ecosystem: "npm", name: "a", verdict: "deprecated", advisories: {} };
  const answer = { query: question, row: { ...row, reason: { code: "deprecated", message } } };
  const parts = { files: [], results: [answer], unparsed: [], checkedAt: "2026-11-20T00:00:00Z" };
  const baseline = { entries: [], find: () => undefined, findOutdated: () => undefined };
  const terms = { failOn: new Set(["deprecated"]), baseline, today: "2026-11-20" };
  const report = buildAuditReport(
    parts as unknown as Parameters<typeof buildAuditReport>[0],
    terms as unknown as Parameters<typeof buildAuditReport>[1],
  );
  const lines = formatAuditText(report, true).split("\n");
  expect(lines.filter((line) => line.includes("gone"))).toHaveLength(1);
  expect(lines.filter((line) => /^\s*(?:::|##)/.test(line))).toEqual([]);
});

it.each([
  ["malicious,unparsed", false],
  ["plugin", true],
])(
  "a plugin of Gradle is reported, and with --fail-on %s it fails the audit: %s",
  (words, fails) => {
    const text = 'plugins {\n  id("com.acme.tool") version "1.2"\n}\n';
    const { unparsed } = parseBuildGradle(text, () => undefined);
    const places = unparsed.map((part) => ({ ...part, file: "build.gradle", shown: part.text }));
    const parts = { files: [], results: [], unparsed: places, checkedAt: "2026-11-20T00:00:00Z" };
    const failOn = new Set(words.split(","));
    const baseline = new AuditBaseline([], "2026-11-20");
    const report = buildAuditReport(parts, { failOn, baseline, today: "2026-11-20" });
    expect(listAuditFindings(report)).toMatchObject([{ rule: "unparsed", isFailing: fails }]);
    expect(listAuditFindings(report)[0]?.message).toMatch(/^com\.acme\.tool@1\.2 was not assessed/);
  },
);
