import type { PackageRegistry } from "../ecosystem/registry.ts";
import type { PackageInfo, PackageReplacementCandidate } from "../facts.ts";
import { combinePublishedVersions } from "./published.ts";

/** Of a package's candidates so many are looked up. */
const maxLookUps = 6;

/**
 * Keeps of a package's replacements the best that its registry has, with the
 * version to install: whoever reads the answer installs what it names. None where
 * the registry has none of them, or cannot be asked.
 */
export async function selectInstallableReplacement(
  registry: PackageRegistry,
  known: PackageInfo,
): Promise<PackageInfo> {
  if (known.replacements.length === 0) return known;
  for (const candidate of known.replacements.slice(0, maxLookUps)) {
    const confirmed = await confirm(registry, candidate);
    if (confirmed !== undefined) return { ...known, replacements: [confirmed] };
  }
  return { ...known, replacements: [] };
}

async function confirm(
  registry: PackageRegistry,
  candidate: PackageReplacementCandidate,
): Promise<PackageReplacementCandidate | undefined> {
  const canonical = registry.canonicalName(candidate.name);
  if (canonical === undefined) return undefined;
  const reading = await registry.read(canonical, { detail: "existence" });
  if (reading.existence !== "found" || reading.status?.kind === "removed") return undefined;
  const nobodyElse = { indexed: undefined, aggregated: undefined, isMirror: false };
  return {
    ...candidate,
    version: combinePublishedVersions(registry, reading, nobodyElse).latestVersion,
  };
}
