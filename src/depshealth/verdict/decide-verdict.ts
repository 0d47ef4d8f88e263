import {
  inactiveClassifier,
  noRecentActivity,
  noRecentRelease,
  recentPush,
  recentRelease,
  registryAnswered,
  rustsecFailed,
} from "./activity-rules.ts";
import {
  ruleArchived,
  curatedDeprecation,
  curatedNote,
  cycleEnded,
  linkSuspect,
  productEnded,
  rustsecUnmaintained,
} from "./authority-rules.ts";
import { didYouMean, installScript, newPackage } from "./caution-rules.ts";
import {
  allReleasesWithdrawn,
  deprecatedByPublisher,
  unknownPackage,
  removedByRegistry,
  versionNotFound,
  versionUndecided,
  versionWithdrawn,
} from "./registry-rules.ts";
import type { VerdictInput, VerdictResult, Reason, Replacement, Verdict } from "./verdict.ts";

type Rule = (it: VerdictInput) => Reason | undefined;

/**
 * The decision table: the first rule that fires decides. docs/dependency-health.md
 * numbers the rules.
 */
const table: readonly (readonly [verdict: Verdict, rule: Rule])[] = [
  ["unknown", unknownPackage],
  ["deprecated", removedByRegistry],
  ["unknown", versionNotFound],
  ["unknown", versionUndecided],
  ["deprecated", deprecatedByPublisher],
  ["deprecated", allReleasesWithdrawn],
  ["deprecated", rustsecUnmaintained],
  ["deprecated", productEnded],
  ["deprecated", curatedDeprecation],
  ["archived", ruleArchived],
  ["stale", inactiveClassifier],
  ["stale", noRecentActivity],
  ["stale", noRecentRelease],
  ["active", recentRelease],
  ["active", recentPush],
];

/** They say more and decide nothing. */
const qualifiers: readonly Rule[] = [
  versionWithdrawn,
  maliciousVersion,
  advisoryByRegistry,
  newPackage,
  didYouMean,
  installScript,
  cycleEnded,
  linkSuspect,
  curatedNote,
];

/**
 * The verdict on a package: a pure function of timestamped facts and a clock.
 * A source that failed takes evidence away and adds none, so that it can make
 * a verdict `unknown` and never `active`; advisories never change it.
 */
export function decideVerdict(it: VerdictInput): VerdictResult {
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
function hasEnoughEvidence(verdict: Verdict, it: VerdictInput): boolean {
  return verdict !== "active" || (registryAnswered(it.info) && !rustsecFailed(it.info));
}

function qualifying(it: VerdictInput, verdict: Verdict): Reason[] {
  const reasons = qualifiers.map((rule) => rule(it));
  const finished = verdict === "stale" ? finishedCandidate(it) : undefined;
  return [...reasons, finished, sourceFailed(it)].filter((reason) => reason !== undefined);
}

/** Rule 15: nothing else can be said. */
function evidenceMissing({ info: known }: VerdictInput): Reason {
  const message = `Nothing that was heard tells whether ${known.name} is maintained.`;
  return { code: "evidence_missing", message };
}

function sourceFailed({ info: known }: VerdictInput): Reason | undefined {
  const failed = known.evidence.filter(({ ok }) => !ok);
  if (failed.length === 0) return undefined;
  const names = [...new Set(failed.map(({ source, kind }) => `${source} (${kind})`))];
  return { code: "source_failed", message: `Could not be asked: ${names.join(", ")}.` };
}

/** Says that the assessed version was made to harm. */
function maliciousVersion({ info: known }: VerdictInput): Reason | undefined {
  const advisory = known.advisories?.find(({ malicious }) => malicious);
  if (advisory === undefined) return undefined;
  const message = `${advisory.id} says that ${known.name} ${known.version ?? ""} is malicious.`;
  return { code: "malicious_version", message };
}

/** Says which advisories only the registry itself lists. */
function advisoryByRegistry({ info: known }: VerdictInput): Reason | undefined {
  const listed = known.advisories?.filter(({ source: witness }) => witness === "registry") ?? [];
  if (listed.length === 0) return undefined;
  const ids = listed.map(({ id }) => id).join(", ");
  const message = `Only ${known.ecosystem}'s own list has ${ids} for this version; the advisory source did not name it.`;
  return { code: "advisory_by_registry", message };
}

/** Stale is no reproach to a package that many use and nothing is wrong with. */
function finishedCandidate({ info: known, thresholds }: VerdictInput): Reason | undefined {
  const { advisories, dependentsCount, version, latestVersion } = known;
  if (advisories === null || advisories.length > 0 || version !== latestVersion) return undefined;
  if (dependentsCount === null || dependentsCount < thresholds.finishedDependents) return undefined;
  const message = `It may simply be finished: ${dependentsCount} packages depend on it, and its latest version has no known flaw.`;
  return { code: "finished_candidate", message };
}

/** The best that its registry was found to have. */
function replacementOf({ info: known }: VerdictInput): Replacement | undefined {
  const [best] = known.replacements;
  return best && { ...best, version: best.version ?? null };
}
