import semver, { type Range } from "semver";
import type { PublishedVersions, UnresolvedVersion, PackageVersionFacts } from "../facts.ts";
import { searchVersionsWithinCheckBudget } from "./try-in-turns.ts";

const checksPerTurn = 25_000;
const mostChecks = 500_000;

/**
 * The version that npm would install for a range today: the tag `latest` where
 * it fits and is not deprecated, else the highest that fits, a deprecated one only
 * if nothing else does. Undefined: nothing fits. For `*` and an empty range npm
 * takes the tag also if that is a pre-release, which fits no range.
 */
export async function resolveNpmVersion(
  { versions, tags }: PublishedVersions,
  text: string,
): Promise<string | UnresolvedVersion | undefined> {
  const range = readRange(text);
  if (range === undefined) return undefined;
  // Versions that npm cannot parse fit no range.
  const fits = ({ version }: PackageVersionFacts): boolean => {
    const parsed = semver.parse(version, true);
    return parsed !== null && range.test(parsed);
  };
  const present = versions.filter(({ withdrawal }) => withdrawal === undefined);
  const latest = present.find(({ version }) => version === tags.get("latest"));
  const isAny = ["", "*"].includes(text.trim());
  if (latest !== undefined && isSound(latest) && (isAny || fits(latest))) return latest.version;
  let deprecated: string | undefined;
  const conditions = range.set.reduce((count, set) => count + set.length, 0);
  const budget = { conditions, perTurn: checksPerTurn, most: mostChecks };
  const sound = await searchVersionsWithinCheckBudget(present, budget, (some) => {
    const fitting = some.filter(fits);
    deprecated ??= fitting[0]?.version;
    return fitting.find(isSound)?.version;
  });
  return sound ?? deprecated;
}

/** Returns the version under a tag. A tag may be left over from a version that is gone. */
export function resolveNpmTag(
  { tags, versions }: PublishedVersions,
  tag: string,
): string | undefined {
  const tagged = tags.get(tag);
  // Without a list, the tag is all that is known.
  if (versions.length === 0) return tagged;
  return versions.find(
    ({ version, withdrawal }) => version === tagged && withdrawal?.kind !== "removed",
  )?.version;
}

function isSound({ deprecation }: PackageVersionFacts): boolean {
  return deprecation === undefined;
}

/** Returns nothing for a text that npm cannot parse; no version fits it. */
function readRange(text: string): Range | undefined {
  try {
    return new semver.Range(text, true);
  } catch {
    return undefined;
  }
}
