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
  const fitting = versions.filter((it) => isThere(it) && semver.satisfies(it.version, range, true));
  const sound = fitting.filter(({ deprecation }) => deprecation === undefined);
  const latest = tags.get("latest");
  if (sound.some(({ version }) => version === latest)) return latest;
  return highest(sound) ?? highest(fitting);
}

/** The version under a tag. */
export function chooseNpmTag({ tags }: PublishedVersions, tag: string): string | undefined {
  return tags.get(tag);
}

function isThere({ withdrawal }: VersionFacts): boolean {
  return withdrawal === undefined;
}

function highest(versions: readonly VersionFacts[]): string | undefined {
  return versions
    .map(({ version }) => version)
    .toSorted((left, right) => semver.rcompare(left, right, true))[0];
}
