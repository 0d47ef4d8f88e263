import { versionOrders } from "../ecosystem/version-order.ts";
import type { AdvisoryFacts, KnownPackage } from "../facts.ts";

/**
 * The lowest stable version above the assessed one that none of its advisories
 * hits, as far as the fixes that they name tell. Undefined: none is known.
 */
export function fixingVersion(known: KnownPackage): string | undefined {
  const { advisories, version, versions, ecosystem } = known;
  const { compare } = versionOrders[ecosystem];
  if (advisories === null || advisories.length === 0 || version === null) return undefined;
  const fixing = versions
    .filter((it) => it.stable && it.withdrawal === undefined && compare(it.version, version) > 0)
    .filter((it) => advisories.every((advisory) => isFixedIn(advisory, it.version, compare)));
  // Where the publisher has marked all of them, one that is marked is better than the flaws.
  return (fixing.findLast((it) => it.deprecation === undefined) ?? fixing.at(-1))?.version;
}

/** A fix that comes later in the same major version says that this one is not fixed yet. */
function isFixedIn(
  { fixedIn }: AdvisoryFacts,
  version: string,
  compare: (left: string, right: string) => number,
): boolean {
  const isLater = (fix: string) => compare(fix, version) > 0;
  return (
    fixedIn.some((fix) => !isLater(fix)) &&
    !fixedIn.some((fix) => isLater(fix) && majorOf(fix) === majorOf(version))
  );
}

function majorOf(version: string): string | undefined {
  return /\d+/.exec(version)?.[0];
}
