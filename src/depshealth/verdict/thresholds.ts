/** Ages that the verdict compares with, in days, and the size of an audience. */
export interface MaintenanceVerdictThresholds {
  /** A release older than this needs a recent push to count as maintained. */
  readonly releaseDays: number;
  /** A push younger than this counts as maintained. */
  readonly pushDays: number;
  /** A release older than this is stale where no push can be relied on. */
  readonly releaseAloneDays: number;
  /** A release older than this, of a package that calls itself inactive, is stale. */
  readonly inactiveDays: number;
  /** A release so much newer than the last push was made somewhere else. */
  readonly suspectLinkDays: number;
  /** Packages that depend on one that may simply be finished. */
  readonly finishedDependents: number;
  /** A package whose first release is not older is new. */
  readonly newPackageDays: number;
  /** With fewer packages that depend on it a name may be one that somebody has taken. */
  readonly minDependents: number;
}

export const defaultMaintenanceVerdictThresholds: MaintenanceVerdictThresholds = {
  releaseDays: 730,
  pushDays: 365,
  releaseAloneDays: 1095,
  inactiveDays: 365,
  suspectLinkDays: 90,
  finishedDependents: 1000,
  newPackageDays: 30,
  minDependents: 50,
};
