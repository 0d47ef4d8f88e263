import type { MissingNeed } from "../dependency-graph.ts";
import { readNpmSpec } from "../package-json/npm-spec.ts";

/** Reads what a package of npm needs and its lock file has no entry for. */
export function missingNeed(name: string, specifier: string): MissingNeed {
  const read = readNpmSpec(name, specifier);
  return "reason" in read ? { name, text: `${name}@${specifier}`, reason: read.reason } : read;
}
