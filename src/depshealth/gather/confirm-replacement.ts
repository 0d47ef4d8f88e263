import type { Registry } from "../ecosystem/registry.ts";
import type { KnownPackage, ReplacementCandidate } from "../facts.ts";

/** Of a package's candidates so many are looked up. */
const mostLookUps = 3;

/**
 * Keeps of a package's replacements the best that its registry has: whoever
 * reads the answer installs what it names. None where the registry has none of
 * them, or cannot be asked.
 */
export async function confirmReplacement(
  registry: Registry,
  known: KnownPackage,
): Promise<KnownPackage> {
  if (known.replacements.length === 0) return known;
  for (const candidate of known.replacements.slice(0, mostLookUps)) {
    if (await isThere(registry, candidate)) return { ...known, replacements: [candidate] };
  }
  return { ...known, replacements: [] };
}

async function isThere(registry: Registry, { name }: ReplacementCandidate): Promise<boolean> {
  const canonical = registry.canonicalName(name);
  if (canonical === undefined) return false;
  const { existence, mark } = await registry.read(canonical, { detail: "existence" });
  return existence === "found" && mark?.kind !== "removed";
}
