import { suggestPopularPackage, type LikelyIntendedPackage } from "../spelling/suggest-package.ts";
import { isNewPackage } from "./ages.ts";
import type { MaintenanceVerdictInput } from "./verdict.ts";

/** What may be meant by a name that is not there, or that few know. */
export function findLikelyIntendedPackage(
  it: MaintenanceVerdictInput,
): LikelyIntendedPackage | undefined {
  const { ecosystem, name, existence, otherSpelling, status: mark } = it.info;
  if (otherSpelling !== undefined) return { ecosystem, name: otherSpelling };
  const isThere = existence === "found" && mark?.kind !== "removed";
  if (existence === "undetermined" || (isThere && !isLittleKnown(it))) return undefined;
  return suggestPopularPackage(ecosystem, name);
}

/** The same as part of a sentence on a name that its registry does not have. */
export function describeSuggestedPackage(it: MaintenanceVerdictInput): string | undefined {
  const meant = findLikelyIntendedPackage(it);
  if (meant === undefined) return undefined;
  const isElsewhere = meant.ecosystem !== it.info.ecosystem;
  const where = isElsewhere ? `the ${meant.ecosystem} registry` : "it";
  return `${where} has \`${meant.name}\`, which may be meant`;
}

function isLittleKnown(it: MaintenanceVerdictInput): boolean {
  const { dependentsCount } = it.info;
  return (
    (dependentsCount !== null && dependentsCount < it.thresholds.minDependents) || isNewPackage(it)
  );
}
