import { likelyMeant, type MeantPackage } from "../spelling/likely-meant.ts";
import { isNew } from "./ages.ts";
import type { Case } from "./verdict.ts";

/** What may be meant by a name that is not there, or that few know. */
export function meantPackage(it: Case): MeantPackage | undefined {
  const { ecosystem, name, existence, otherSpelling, mark } = it.known;
  if (otherSpelling !== undefined) return { ecosystem, name: otherSpelling };
  const isThere = existence === "found" && mark?.kind !== "removed";
  if (existence === "undetermined" || (isThere && !isLittleKnown(it))) return undefined;
  return likelyMeant(ecosystem, name);
}

/** The same as part of a sentence on a name that its registry does not have. */
export function meantWords(it: Case): string | undefined {
  const meant = meantPackage(it);
  if (meant === undefined) return undefined;
  const isElsewhere = meant.ecosystem !== it.known.ecosystem;
  const where = isElsewhere ? `the ${meant.ecosystem} registry` : "it";
  return `${where} has \`${meant.name}\`, which may be meant`;
}

function isLittleKnown(it: Case): boolean {
  const { dependentsCount } = it.known;
  return (dependentsCount !== null && dependentsCount < it.thresholds.littleUsed) || isNew(it);
}
