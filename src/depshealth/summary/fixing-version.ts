import { versionOrders } from "../ecosystem/version-order.ts";
import type { AdvisoryFacts, KnownPackage } from "../facts.ts";

/**
 * The lowest stable version above the assessed one that none of its advisories
 * hits, as far as the fixes that they name tell. Undefined: none is known.
 */
export function fixingVersion(known: KnownPackage): string | undefined {
  const { advisories, version, versions, ecosystem } = known;
  const { compare } = versionOrders[ecosystem];
  if (advisories === null || version === null) return undefined;
  return versions
    .filter((it) => it.stable && it.withdrawal === undefined && compare(it.version, version) > 0)
    .findLast((it) => advisories.every((advisory) => isFixedIn(advisory, it.version, compare)))
    ?.version;
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
