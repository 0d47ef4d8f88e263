import type { JsonObject } from "@bufbuild/protobuf";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";
import { readStringMemberOrEmpty } from "../read-string-member.ts";
import {
  listAuditFindings,
  isUnpinnedPackage,
  toPackageAuditJsonRow,
  type AuditReport,
  type EvaluatedAuditFinding,
  type AuditReportPackage,
} from "./audit-report.ts";
import { closestDependencyRelation } from "./package-query.ts";

/** The whole report as JSON: the answer of `deps_audit` for all calls, and what the files add to it. */
export function buildAuditJson(report: AuditReport): JsonObject {
  const { files, packages, texts, unused, outdated, checkedAt } = report;
  return {
    object: "deps_audit",
    files: files.map(({ path, kind, dependencies, unparsed }) => ({
      path,
      kind,
      packages: dependencies.length,
      direct: dependencies.filter(({ relation }) => relation === "direct").length,
      transitive: dependencies.filter(({ relation }) => relation === "transitive").length,
      unparsed: unparsed.length,
    })),
    packages: packages.map(packageJson),
    unparsed: texts.map(({ place, finding }) => ({
      file: place.file,
      ...(place.line !== undefined && { line: place.line }),
      text: place.shown ?? null,
      reason: place.reason,
      ...judgementJson(finding),
    })),
    not_assessed: packages
      .filter(({ answer }) => answer.row === undefined)
      .map(({ answer: { query: question } }) => ({
        ecosystem: question.ecosystem,
        name: question.name,
        requested: question.requested,
        reason: "no_answer",
      })),
    summary: buildAuditSummaryJson(report),
    unused_baseline_entries: unused.map((entry) => ({
      ...("file" in entry
        ? { file: entry.file, text: entry.text, outdated: outdated.has(entry) }
        : { ecosystem: entry.ecosystem, name: entry.name }),
      finding: entry.finding,
      reason: entry.reason,
      expires: entry.expires,
    })),
    checked_at: checkedAt,
  };
}

function packageJson(reported: AuditReportPackage): JsonObject {
  const { answer, findings } = reported;
  const { query: question } = answer;
  return {
    ...toPackageAuditJsonRow(reported),
    relation: closestDependencyRelation(question),
    // Without a version the latest is assessed, whatever is installed.
    pinned: !isUnpinnedPackage(answer),
    places: question.locations.map(({ file, line, relation, groups, paths }) => ({
      file,
      ...(line !== undefined && { line }),
      relation,
      groups: [...groups],
      paths: paths.map((path) => [...path]),
    })),
    findings: findings.map((finding) => ({
      rule: finding.rule,
      ...(finding.severity !== undefined && { severity: finding.severity }),
      ...(finding.ids.length > 0 && { ids: [...finding.ids] }),
      message: finding.message,
      ...judgementJson(finding),
    })),
  };
}

function judgementJson({ isFailing, accepted, hasExpired }: EvaluatedAuditFinding): JsonObject {
  if (accepted === undefined) return { failing: isFailing };
  const { reason, expires } = accepted;
  return { failing: isFailing, accepted: { reason, expires, expired: hasExpired } };
}

/** The numbers of the service over all calls, and what the files add. */
export function buildAuditSummaryJson(report: AuditReport): Record<string, number> {
  const { packages, texts } = report;
  const rows = packages.map(({ answer }) => answer.row).filter((row) => row !== undefined);
  const of = (verdict: string) =>
    rows.filter((row) => readStringMemberOrEmpty(row, "verdict") === verdict).length;
  const findings = listAuditFindings(report);
  return {
    total: packages.length,
    direct: packages.filter(({ answer }) => closestDependencyRelation(answer.query) === "direct")
      .length,
    deprecated: of("deprecated"),
    archived: of("archived"),
    stale: of("stale"),
    active: of("active"),
    unknown: of("unknown"),
    with_advisories: rows.filter(hasAdvisories).length,
    not_assessed: packages.length - rows.length,
    unparsed: texts.length,
    unpinned: packages.filter(({ answer }) => isUnpinnedPackage(answer)).length,
    accepted: findings.filter(({ accepted, hasExpired }) => accepted !== undefined && !hasExpired)
      .length,
    failing: findings.filter(({ isFailing }) => isFailing).length,
  };
}

function hasAdvisories({ advisories }: JsonObject): boolean {
  return isProtobufJsonObject(advisories) && Number(advisories["total"]) > 0;
}
