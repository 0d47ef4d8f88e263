import type { PackageRegistry } from "../ecosystem/registry.ts";
import type { PackageInfo } from "../facts.ts";
import { listPackageNameSpellings } from "../spelling/spelling-variants.ts";

/** Adds to a name that its registry does not have how that spells it, if it has it otherwise. */
export async function addAlternatePackageName(
  registry: PackageRegistry,
  known: PackageInfo,
): Promise<PackageInfo> {
  if (known.existence !== "not_found") return known;
  if (registry.canonicalName(known.name) === undefined) return known;
  for (const name of listPackageNameSpellings(known.ecosystem, known.name)) {
    const canonical = registry.canonicalName(name);
    if (canonical === undefined) continue;
    const { existence, name: spelled } = await registry.read(canonical, { detail: "existence" });
    if (existence === "found") return { ...known, otherSpelling: spelled };
  }
  return known;
}
