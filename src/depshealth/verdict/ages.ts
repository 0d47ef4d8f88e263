import type { VerdictInput } from "./verdict.ts";

const dayMs = 86_400_000;

/** Whole days from a time until now; undefined for an unknown time. A time to come is today. */
export function daysSince(time: number | null | undefined, now: number): number | undefined {
  if (time === null || time === undefined) return undefined;
  return Math.max(0, Math.floor((now - time) / dayMs));
}

/** The two clocks of a package, in whole days; undefined: not known. */
export interface Ages {
  readonly release: number | undefined;
  /** Undefined too where the repository is not the package's own any more. */
  readonly push: number | undefined;
}

export function computeAges(it: VerdictInput): Ages {
  const { newestReleaseAt, repository } = it.info;
  return {
    release: daysSince(newestReleaseAt, it.now),
    push: isLinkSuspect(it) ? undefined : daysSince(repository?.lastPushAt, it.now),
  };
}

/** Undefined where the date of a version is not known: it may be the first. */
export function firstReleaseDays({ info: known, now }: VerdictInput): number | undefined {
  const times = known.versions.map(({ releasedAt }) => releasedAt);
  const dated = times.filter((time) => time !== null);
  if (known.existence !== "found" || dated.length === 0 || dated.length < times.length) {
    return undefined;
  }
  return daysSince(
    dated.reduce((first, time) => Math.min(first, time)),
    now,
  );
}

/** Whether nothing of it was there a month ago. */
export function isNewPackage(it: VerdictInput): boolean {
  const days = firstReleaseDays(it);
  return days !== undefined && days <= it.thresholds.newPackageDays;
}

/** An archived repository that releases have left behind is an old copy. */
export function isLinkSuspect({ info: known, thresholds }: VerdictInput): boolean {
  const { repository, newestReleaseAt } = known;
  if (repository?.archived !== true || repository.lastPushAt === null) return false;
  if (newestReleaseAt === null) return false;
  return newestReleaseAt - repository.lastPushAt > thresholds.suspectLinkDays * dayMs;
}
