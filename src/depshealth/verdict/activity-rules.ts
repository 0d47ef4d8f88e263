import { computePackageAges } from "./ages.ts";
import type { PackageInfo } from "../facts.ts";
import type { MaintenanceVerdictInput, VerdictReason } from "./verdict.ts";

/** Rule 10: the publisher calls it inactive, and the releases agree. */
export function findInactiveClassifierReason(
  it: MaintenanceVerdictInput,
): VerdictReason | undefined {
  const { release } = computePackageAges(it);
  if (it.info.status?.kind !== "inactive" || release === undefined) return undefined;
  if (release <= it.thresholds.inactiveDays) return undefined;
  const message = `Its publisher marks it inactive, and the newest release is ${release} days old.`;
  return { code: "inactive_classifier", message };
}

/** Rule 11: neither a release nor a push for long. */
export function findNoRecentActivityReason(it: MaintenanceVerdictInput): VerdictReason | undefined {
  const { release, push } = computePackageAges(it);
  const { releaseDays, pushDays } = it.thresholds;
  if (release === undefined || push === undefined) return undefined;
  if (release <= releaseDays || push <= pushDays) return undefined;
  const message = `The newest release is ${release} days old and the last push ${push}.`;
  return { code: "no_recent_activity", message };
}

/** Rules 12 and 13: no release for long, where no push is known or it may be another package's. */
export function findNoRecentReleaseReason(it: MaintenanceVerdictInput): VerdictReason | undefined {
  const { release, push } = computePackageAges(it);
  if (release === undefined || release <= it.thresholds.releaseAloneDays) return undefined;
  if (push === undefined) {
    const message = `The newest release is ${release} days old, and no push is known.`;
    return { code: "no_recent_release", message };
  }
  if (!sharesRepository(it)) return undefined;
  const message = `The newest release is ${release} days old; pushes to its repository may be for other packages there.`;
  return { code: "no_recent_release", message };
}

/** Rule 14: a release not long ago. */
export function findActiveByReleaseReason(it: MaintenanceVerdictInput): VerdictReason | undefined {
  const { release } = computePackageAges(it);
  if (release === undefined || release > it.thresholds.releaseDays) return undefined;
  return { code: "recent_release", message: `The newest release is ${release} days old.` };
}

/** Rule 14: a push not long ago. */
export function findRecentPushReason(it: MaintenanceVerdictInput): VerdictReason | undefined {
  const { push } = computePackageAges(it);
  if (push === undefined || push > it.thresholds.pushDays) return undefined;
  return { code: "recent_push", message: `The last push is ${push} days old.` };
}

/**
 * Whether the registry itself has answered, all that was asked of it: without
 * its word on deprecation nothing is called active, whatever others say. A word
 * of before that could not be had anew is still its word, of the time it was given.
 */
export function hasRegistryAnswered(known: PackageInfo): boolean {
  const answers = known.evidence.filter(
    ({ source, kind }) => source === known.ecosystem && kind === "metadata",
  );
  return answers.length > 0 && answers.every(({ ok, refresh }) => ok || refresh === true);
}

/**
 * Whether RustSec's word could not be had for a crate. Its registry has no mark
 * for the unmaintained: these come with the advisories, so that their failure is
 * that of the registry. Where the operator does not ask for them, nothing has failed.
 */
export function hasRustsecLookupFailed({ ecosystem, evidence }: PackageInfo): boolean {
  if (ecosystem !== "cargo") return false;
  return evidence.some(({ kind, ok, refresh }) => kind === "advisories" && !ok && refresh !== true);
}

/**
 * Whether the advisories that are known may lack some, or what a record says of them: the source
 * of advisories has failed at least once. Where a registry lists some itself, it vouches for no others.
 */
export function hasIncompleteAdvisories({ advisories, evidence }: PackageInfo): boolean {
  if (advisories === null) return false;
  return evidence.some(
    ({ source, kind, ok, refresh }) =>
      source === "osv" && kind === "advisories" && !ok && refresh !== true,
  );
}

function sharesRepository({ info: known }: MaintenanceVerdictInput): boolean {
  return known.repository !== null && known.repository.directory !== null;
}
