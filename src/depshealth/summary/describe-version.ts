import { versionOrderByEcosystem } from "../ecosystem/version-order.ts";
import type { PackageInfo } from "../facts.ts";
import { advisorySeverities } from "../source/severity.ts";
import { countDaysSince } from "../verdict/ages.ts";
import { findPackageVersionFacts } from "../verdict/registry-rules.ts";
import { hasIncompleteAdvisories } from "../verdict/activity-rules.ts";
import type { MaintenanceVerdictResult } from "../verdict/verdict.ts";
import { findLowestFixedVersion } from "./lowest-fixed-version.ts";

/** Whether a newer version than the assessed one is the latest. */
export function isVersionOlderThanLatest({
  ecosystem,
  version,
  latestVersion,
  versionFound,
}: PackageInfo): boolean {
  if (version === null || latestVersion === null || versionFound === false) return false;
  return versionOrderByEcosystem[ecosystem].compare(version, latestVersion) < 0;
}

/** What an older version is like: its age, whether it was taken back, whether its cycle has ended. */
export function describeAssessedVersion(
  known: PackageInfo,
  { reasons }: MaintenanceVerdictResult,
  now: number,
): string {
  if (known.versionFound === false) return "";
  const facts = findPackageVersionFacts(known, known.version);
  const days = isVersionOlderThanLatest(known) ? countDaysSince(facts?.releasedAt, now) : undefined;
  const words = [
    days === undefined ? undefined : `is ${days} days old`,
    facts?.withdrawal === undefined ? undefined : `was ${facts.withdrawal.kind}`,
    reasons.some(({ code }) => code === "cycle_eol")
      ? "is of a release cycle that has ended"
      : undefined,
  ].filter((word) => word !== undefined);
  return words.length === 0 ? "" : `this version ${words.join(" and ")}`;
}

/** How many advisories hit the version, how bad the worst is, and what fixes them all; or who did not tell. */
export function describeVulnerabilities(known: PackageInfo): string {
  const { advisories, existence, versionFound } = known;
  // What its registry does not have is hardly known to others.
  if (advisories === null && (existence === "not_found" || versionFound === false)) return "";
  if (advisories === null) {
    return hasFailed(known, "advisories")
      ? "the advisory source did not answer"
      : "its advisories could not be asked for";
  }
  if (advisories.length === 0) return "";
  const isOne = advisories.length === 1;
  const worst = advisorySeverities.find((severity) =>
    advisories.some((it) => it.severity === severity),
  );
  const fix = findLowestFixedVersion(known);
  const isIncomplete = hasIncompleteAdvisories(known);
  const count = `${isIncomplete ? "at least " : ""}${advisories.length}`;
  return [
    `${count} ${isOne ? "advisory hits" : "advisories hit"} this version`,
    isIncomplete ? "and not all are known" : undefined,
    worst === "unknown" ? undefined : `${isOne ? "of severity" : "the worst"} ${worst}`,
    fix === undefined ? undefined : `${isOne ? "" : "all "}fixed in ${fix}`,
  ]
    .filter((words) => words !== undefined)
    .join(", ");
}

/** That it is new, and that another name may be meant. */
export function describeNewOrMisnamedPackage({ reasons }: MaintenanceVerdictResult): string {
  return reasons
    .filter(({ code }) => code === "new_package" || code === "did_you_mean")
    .map(({ message }) => message.replace(/^Its/, "its").replace(/\.$/, ""))
    .join("; ");
}

/** Who did not answer, so that nothing can be said. Undefined: all that were asked did. */
export function describeUnansweredDataSource(known: PackageInfo): string | undefined {
  if (hasFailed(known, "metadata")) return "its registry did not answer";
  if (hasFailed(known, "advisories"))
    return "the advisory source, which lists the unmaintained, did not answer";
  return hasFailed(known, "repository") ? "its repository's host did not answer" : undefined;
}

function hasFailed(
  { evidence }: PackageInfo,
  kind: PackageInfo["evidence"][number]["kind"],
): boolean {
  return evidence.some((it) => it.kind === kind && !it.ok && it.refresh !== true);
}
