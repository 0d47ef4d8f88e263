import type { Case } from "./verdict.ts";

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

export function agesOf(it: Case): Ages {
  const { newestReleaseAt, repository } = it.known;
  return {
    release: daysSince(newestReleaseAt, it.now),
    push: isLinkSuspect(it) ? undefined : daysSince(repository?.lastPushAt, it.now),
  };
}

/** An archived repository that releases have left behind is an old copy. */
export function isLinkSuspect({ known, thresholds }: Case): boolean {
  const { repository, newestReleaseAt } = known;
  if (repository?.archived !== true || repository.lastPushAt === null) return false;
  if (newestReleaseAt === null) return false;
  return newestReleaseAt - repository.lastPushAt > thresholds.suspectLinkDays * dayMs;
}
