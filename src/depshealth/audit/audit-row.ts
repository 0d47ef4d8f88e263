import type { AssessedPackage } from "../assess.ts";
import type { AdvisoryFacts, AdvisorySeverity, PackageInfo } from "../facts.ts";
import { countDaysSince } from "../verdict/ages.ts";
import type { RequestedAuditPackage } from "./plan-audit.ts";

/** A package of an audit, and what is known of it. */
export interface PackageAuditResult {
  readonly assessed: AssessedPackage;
}

/**
 * The rows of an audit. What was asked for in several ways and is the same
 * version is one row, that of its first mention.
 */
export function deduplicateAuditRows<Row extends PackageAuditResult>(
  packages: readonly RequestedAuditPackage[],
  assessed: readonly Row[],
): Row[] {
  const rows = new Map<string, Row>();
  for (const [index, asked] of packages.entries()) {
    const row = assessed[index];
    if (row === undefined) throw new Error("A package was not assessed.");
    const { ecosystem, name, version } = row.assessed.info;
    const key = JSON.stringify([ecosystem, name, version ?? [asked.requested]]);
    if (!rows.has(key)) rows.set(key, row);
  }
  return [...rows.values()];
}

/** Advisories by severity. */
export type AdvisoryCounts = Readonly<Record<AdvisorySeverity | "total", number>>;

export function countAdvisories(advisories: readonly AdvisoryFacts[]): AdvisoryCounts {
  const of = (severity: AdvisorySeverity) =>
    advisories.filter((advisory) => advisory.severity === severity).length;
  return {
    total: advisories.length,
    critical: of("critical"),
    high: of("high"),
    moderate: of("moderate"),
    low: of("low"),
    unknown: of("unknown"),
  };
}

/** The two ages of a package in whole days; undefined: not known. */
export function computeReleaseAndPushAges(
  { latestReleasedAt, repository }: PackageInfo,
  now: number,
): { readonly latest: number | undefined; readonly push: number | undefined } {
  return {
    latest: countDaysSince(latestReleasedAt, now),
    push: countDaysSince(repository?.lastPushAt, now),
  };
}

/** Returns why a package could not be assessed: its registry was not heard, or no version was chosen. */
export function describeAssessmentFailure(known: PackageInfo): string | undefined {
  const { evidence, ecosystem, name, versionUndecided } = known;
  if (versionUndecided !== undefined)
    return `No version of ${name} was assessed: ${versionUndecided}.`;
  const asked = evidence.filter(({ source, kind }) => source === ecosystem && kind === "metadata");
  if (asked.some(({ ok }) => ok)) return undefined;
  return asked.find(({ ok }) => !ok)?.error;
}

/** The rows counted. */
export interface AuditRowCounts {
  readonly total: number;
  readonly deprecated: number;
  readonly archived: number;
  readonly stale: number;
  readonly active: number;
  readonly unknown: number;
  readonly withAdvisories: number;
}

export function countPackageAuditResults(rows: readonly PackageAuditResult[]): AuditRowCounts {
  const of = (verdict: string) =>
    rows.filter(({ assessed }) => assessed.verdict.verdict === verdict).length;
  return {
    total: rows.length,
    deprecated: of("deprecated"),
    archived: of("archived"),
    stale: of("stale"),
    active: of("active"),
    unknown: of("unknown"),
    withAdvisories: rows.filter(({ assessed }) => hasAdvisories(assessed)).length,
  };
}

function hasAdvisories({ info: known }: AssessedPackage): boolean {
  return known.advisories !== null && known.advisories.length > 0;
}
