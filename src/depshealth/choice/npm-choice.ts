import semver from "semver";
import type { PublishedVersions, VersionFacts } from "../facts.ts";

/**
 * The version that npm would install for a range today: the tag `latest` where
 * it fits and is not deprecated, else the highest that fits, a deprecated one only
 * if nothing else does. Undefined: nothing fits.
 */
export function chooseNpmVersion(
  { versions, tags }: PublishedVersions,
  range: string,
): string | undefined {
  const fits = ({ version }: VersionFacts): boolean => semver.satisfies(version, range, true);
  const present = versions.filter(isThere);
  const sound = present.filter(({ deprecation }) => deprecation === undefined);
  const latest = sound.find(({ version }) => version === tags.get("latest"));
  if (latest !== undefined && fits(latest)) return latest.version;
  // The range is tried on no more versions than needed: a long one takes its time on each.
  return (highestFirst(sound).find(fits) ?? highestFirst(present).find(fits))?.version;
}

/** The version under a tag. */
export function chooseNpmTag({ tags }: PublishedVersions, tag: string): string | undefined {
  return tags.get(tag);
}

function isThere({ withdrawal }: VersionFacts): boolean {
  return withdrawal === undefined;
}

/** Versions that npm cannot parse fit no range. */
function highestFirst(versions: readonly VersionFacts[]): readonly VersionFacts[] {
  return versions
    .filter(({ version }) => semver.valid(version, true) !== null)
    .toSorted((left, right) => semver.rcompare(left.version, right.version, true));
}
