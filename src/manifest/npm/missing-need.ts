import type { DependencyWithoutLockEntry } from "../dependency-graph.ts";
import { parseNpmSpecifier } from "../package-json/npm-spec.ts";

/** Reads what a package of npm needs and its lock file has no entry for. */
export function toNpmDependencyWithoutLockEntry(
  name: string,
  specifier: string,
): DependencyWithoutLockEntry {
  const read = parseNpmSpecifier(name, specifier);
  return "reason" in read ? { name, text: `${name}@${specifier}`, reason: read.reason } : read;
}
