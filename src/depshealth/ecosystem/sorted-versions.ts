import type { VersionFacts } from "../facts.ts";
import type { VersionOrder } from "./version-order.ts";

/** Newest first; each version once, the first of equal ones. */
export function sortedVersions(
  order: VersionOrder,
  versions: readonly VersionFacts[],
): readonly VersionFacts[] {
  const once = new Map<string, VersionFacts>();
  for (const facts of versions) {
    if (!once.has(facts.version)) once.set(facts.version, facts);
  }
  return order.newestFirst([...once.values()], ({ version }) => version);
}
