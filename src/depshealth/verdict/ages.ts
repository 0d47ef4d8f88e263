import type { MaintenanceVerdictInput } from "./verdict.ts";

const dayMs = 86_400_000;

/** Whole days from a time until now; undefined for an unknown time. A time to come is today. */
export function countDaysSince(time: number | null | undefined, now: number): number | undefined {
  if (time === null || time === undefined) return undefined;
  return Math.max(0, Math.floor((now - time) / dayMs));
}

/** The two clocks of a package, in whole days; undefined: not known. */
export interface PackageAges {
  readonly release: number | undefined;
  /** Undefined too where the repository is not the package's own any more. */
  readonly push: number | undefined;
}

export function computePackageAges(it: MaintenanceVerdictInput): PackageAges {
  const { newestReleaseAt, repository } = it.info;
  return {
    release: countDaysSince(newestReleaseAt, it.now),
    push: isRepositoryLinkOutdated(it) ? undefined : countDaysSince(repository?.lastPushAt, it.now),
  };
}

/** Undefined where the date of a version is not known: it may be the first. */
export function countDaysSinceFirstRelease({
  info: known,
  now,
}: MaintenanceVerdictInput): number | undefined {
  const times = known.versions.map(({ releasedAt }) => releasedAt);
  const dated = times.filter((time) => time !== null);
  if (known.existence !== "found" || dated.length === 0 || dated.length < times.length) {
    return undefined;
  }
  return countDaysSince(
    dated.reduce((first, time) => Math.min(first, time)),
    now,
  );
}

/** Whether nothing of it was there a month ago. */
export function isNewPackage(it: MaintenanceVerdictInput): boolean {
  const days = countDaysSinceFirstRelease(it);
  return days !== undefined && days <= it.thresholds.newPackageDays;
}

/** An archived repository that releases have left behind is an old copy. */
export function isRepositoryLinkOutdated({
  info: known,
  thresholds,
}: MaintenanceVerdictInput): boolean {
  const { repository, newestReleaseAt } = known;
  if (repository?.archived !== true || repository.lastPushAt === null) return false;
  if (newestReleaseAt === null) return false;
  return newestReleaseAt - repository.lastPushAt > thresholds.suspectLinkDays * dayMs;
}
