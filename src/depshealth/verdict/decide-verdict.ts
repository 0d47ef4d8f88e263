import {
  findInactiveClassifierReason,
  findNoRecentActivityReason,
  findNoRecentReleaseReason,
  findRecentPushReason,
  findActiveByReleaseReason,
  hasIncompleteAdvisories,
  hasRegistryAnswered,
  hasRustsecLookupFailed,
} from "./activity-rules.ts";
import {
  findRepositoryArchivedReason,
  findCuratedDeprecationReason,
  findCuratedNoteReason,
  findCycleEolReason,
  findRepositoryLinkSuspectReason,
  findProductEolReason,
  findRustsecUnmaintainedReason,
} from "./authority-rules.ts";
import {
  findDidYouMeanReason,
  findInstallScriptReason,
  findNewPackageReason,
} from "./caution-rules.ts";
import {
  findAllReleasesWithdrawnReason,
  findPublisherDeprecationReason,
  findPackageNotFoundReason,
  findRemovedByRegistryReason,
  findVersionNotFoundReason,
  findVersionNotChosenReason,
  findVersionWithdrawnReason,
} from "./registry-rules.ts";
import type { PackageInfo } from "../facts.ts";
import type {
  MaintenanceVerdictInput,
  MaintenanceVerdictResult,
  VerdictReason,
  PackageReplacement,
  MaintenanceVerdict,
} from "./verdict.ts";

type Rule = (it: MaintenanceVerdictInput) => VerdictReason | undefined;

/**
 * The decision table: the first rule that fires decides. docs/dependency-health.md
 * numbers the rules.
 */
const table: readonly (readonly [verdict: MaintenanceVerdict, rule: Rule])[] = [
  ["unknown", findPackageNotFoundReason],
  ["deprecated", findRemovedByRegistryReason],
  ["unknown", findVersionNotFoundReason],
  ["unknown", findVersionNotChosenReason],
  ["deprecated", findPublisherDeprecationReason],
  ["deprecated", findAllReleasesWithdrawnReason],
  ["deprecated", findRustsecUnmaintainedReason],
  ["deprecated", findProductEolReason],
  ["deprecated", findCuratedDeprecationReason],
  ["archived", findRepositoryArchivedReason],
  ["stale", findInactiveClassifierReason],
  ["stale", findNoRecentActivityReason],
  ["stale", findNoRecentReleaseReason],
  ["active", findActiveByReleaseReason],
  ["active", findRecentPushReason],
];

/** They say more and decide nothing. */
const qualifiers: readonly Rule[] = [
  findVersionWithdrawnReason,
  maliciousVersion,
  advisoriesIncomplete,
  advisoryByRegistry,
  findNewPackageReason,
  findDidYouMeanReason,
  findInstallScriptReason,
  findCycleEolReason,
  findRepositoryLinkSuspectReason,
  findCuratedNoteReason,
];

/**
 * The verdict on a package: a pure function of timestamped facts and a clock.
 * A source that failed takes evidence away and adds none, so that it can make
 * a verdict `unknown` and never `active`; advisories never change it.
 */
export function decideMaintenanceVerdict(it: MaintenanceVerdictInput): MaintenanceVerdictResult {
  const fired = table.flatMap(([verdict, rule]) => {
    const reason = rule(it);
    return reason === undefined || !hasEnoughEvidence(verdict, it) ? [] : [{ verdict, reason }];
  });
  const [deciding = { verdict: "unknown" as const, reason: evidenceMissing(it) }, ...others] =
    fired;
  const { verdict, reason } = deciding;
  const further = [...others.map((other) => other.reason), ...qualifying(it, verdict)];
  return { verdict, reasons: [reason, ...further], replacement: replacementOf(it) };
}

/** Age is no virtue where the registry could not be asked what else there is to know. */
function hasEnoughEvidence(verdict: MaintenanceVerdict, it: MaintenanceVerdictInput): boolean {
  return verdict !== "active" || (hasRegistryAnswered(it.info) && !hasRustsecLookupFailed(it.info));
}

function qualifying(it: MaintenanceVerdictInput, verdict: MaintenanceVerdict): VerdictReason[] {
  const reasons = qualifiers.map((rule) => rule(it));
  const finished = verdict === "stale" ? finishedCandidate(it) : undefined;
  return [...reasons, finished, sourceFailed(it)].filter((reason) => reason !== undefined);
}

/** Rule 15: nothing else can be said. */
function evidenceMissing({ info: known }: MaintenanceVerdictInput): VerdictReason {
  const message = `Nothing that was heard tells whether ${known.name} is maintained.`;
  return { code: "evidence_missing", message };
}

function sourceFailed({ info: known }: MaintenanceVerdictInput): VerdictReason | undefined {
  const failed = known.evidence.filter(({ ok }) => !ok);
  if (failed.length === 0) return undefined;
  const names = [...new Set(failed.map(({ source, kind }) => `${source} (${kind})`))];
  return { code: "source_failed", message: `Could not be asked: ${names.join(", ")}.` };
}

function formatAssessedPackage({ name, version }: PackageInfo): string {
  return version === null ? name : `${name} ${version}`;
}

/** Says that the assessed version was made to harm. */
function maliciousVersion({ info: known }: MaintenanceVerdictInput): VerdictReason | undefined {
  const advisory = known.advisories?.find(({ malicious }) => malicious);
  if (advisory === undefined) return undefined;
  const message = `${advisory.id} says that ${formatAssessedPackage(known)} is malicious.`;
  return { code: "malicious_version", message };
}

/** Says that those which are known may not be all, or not all that there is to know of them. */
function advisoriesIncomplete({ info: known }: MaintenanceVerdictInput): VerdictReason | undefined {
  if (!hasIncompleteAdvisories(known)) return undefined;
  const message = `Not all advisories of ${formatAssessedPackage(known)} could be read.`;
  return { code: "advisories_incomplete", message };
}

/** Says which advisories only the registry itself lists. */
function advisoryByRegistry({ info: known }: MaintenanceVerdictInput): VerdictReason | undefined {
  const listed = known.advisories?.filter(({ source: witness }) => witness === "registry") ?? [];
  if (listed.length === 0) return undefined;
  const ids = listed.map(({ id }) => id).join(", ");
  const message = `Only ${known.ecosystem}'s own list has ${ids} for this version; the advisory source did not name it.`;
  return { code: "advisory_by_registry", message };
}

/** Stale is no reproach to a package that many use and nothing is wrong with. */
function finishedCandidate({
  info: known,
  thresholds,
}: MaintenanceVerdictInput): VerdictReason | undefined {
  const { advisories, dependentsCount, version, latestVersion } = known;
  if (advisories === null || advisories.length > 0 || version !== latestVersion) return undefined;
  if (dependentsCount === null || dependentsCount < thresholds.finishedDependents) return undefined;
  const message = `It may simply be finished: ${dependentsCount} packages depend on it, and its latest version has no known flaw.`;
  return { code: "finished_candidate", message };
}

/** The best that its registry was found to have. */
function replacementOf({ info: known }: MaintenanceVerdictInput): PackageReplacement | undefined {
  const [best] = known.replacements;
  return best && { ...best, version: best.version ?? null };
}
