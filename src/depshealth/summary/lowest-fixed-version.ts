import { versionOrders } from "../ecosystem/version-order.ts";
import type { AdvisoryFacts, PackageInfo } from "../facts.ts";

/**
 * The lowest stable version above the assessed one that none of its advisories
 * hits, as far as the fixes that they name tell. Undefined: none is known.
 */
export function findLowestFixedVersion(known: PackageInfo): string | undefined {
  const { advisories, version, versions, ecosystem } = known;
  const { compare } = versionOrders[ecosystem];
  if (advisories === null || advisories.length === 0 || version === null) return undefined;
  const isFixed = fixedVersions(advisories, compare);
  const fixing = versions
    .filter((it) => it.stable && it.withdrawal === undefined && compare(it.version, version) > 0)
    .filter((it) => isFixed(it.version));
  // Where the publisher has marked all of them, one that is marked is better than the flaws.
  return (fixing.findLast((it) => it.deprecation === undefined) ?? fixing.at(-1))?.version;
}

/**
 * Whether all of the advisories are fixed in a version: each has a fix up to it, and none a
 * later one in the same major version, which would say that this one is not fixed yet.
 */
function fixedVersions(
  advisories: readonly AdvisoryFacts[],
  compare: (left: string, right: string) => number,
): (version: string) => boolean {
  const later = (left: string, right: string) => (compare(left, right) > 0 ? left : right);
  const earlier = (left: string, right: string) => (compare(left, right) < 0 ? left : right);
  const firstFixes = advisories.map(({ fixedIn: [first, ...others] }) =>
    first === undefined ? undefined : others.reduce(earlier, first),
  );
  if (firstFixes.includes(undefined)) return () => false;
  const from = firstFixes.filter((fix) => fix !== undefined).reduce(later);
  const ofMajor = new Map<string | undefined, string>();
  for (const fix of advisories.flatMap(({ fixedIn }) => fixedIn)) {
    const major = majorOf(fix);
    ofMajor.set(major, later(fix, ofMajor.get(major) ?? fix));
  }
  return (version) =>
    compare(version, from) >= 0 && compare(version, ofMajor.get(majorOf(version)) ?? version) >= 0;
}

function majorOf(version: string): string | undefined {
  return /\d+/.exec(version)?.[0];
}
