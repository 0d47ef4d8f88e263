import { describe, expect, it } from "vitest";
import { formatAuditMarkdown } from "../../../src/cli/audit/audit-markdown.ts";
import { buildAuditReport } from "../../../src/cli/audit/audit-report.ts";
import { AuditBaseline } from "../../../src/cli/audit/baseline.ts";

function report(paths: readonly string[], text = "@team/app") {
  const files = paths.map((path) => ({
    path,
    kind: "package.json",
    dependencies: [],
    unparsed: [],
  }));
  const unparsed = [{ file: "package.json", text, shown: text, reason: "git" }];
  const today = "2026-11-20";
  return buildAuditReport(
    { files, results: [], unparsed, checkedAt: `${today}T00:00:00.000Z` },
    { failOn: new Set(["unparsed"]), baseline: new AuditBaseline([], today), today },
  );
}

describe("formatAuditMarkdown", () => {
  it.each([
    ["my_app/package.json", "`my_app/package.json`"],
    ["##[command]z/*.json", "`##[command]z/*.json`"],
    ["a`b/package.json", "``a`b/package.json``"],
    ["`a``b`", "``` `a``b` ```"],
  ])("shows the path %j as it is", (path, span) => {
    expect(formatAuditMarkdown(report([path]))).toContain(`findings in ${span} (package.json).`);
  });

  it("mentions no user", () => {
    const text = formatAuditMarkdown(report(["package.json"]));
    expect(text).toContain("team/app");
    expect(text).not.toMatch(/@\w/);
  });
});
