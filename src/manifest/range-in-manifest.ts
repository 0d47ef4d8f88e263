import type { ManifestDependency } from "./manifest.ts";
import { parseNpmSpecifier } from "./package-json/npm-spec.ts";
import { parseRequirementsTxt } from "./requirements/read-requirements.ts";

/** A package and a range of it, as text of a stranger. */
export interface WrittenPackageRange {
  readonly ecosystem: ManifestDependency["ecosystem"];
  readonly name: string;
  /** Null if any version fits. */
  readonly requested: string | null;
}

/** Returns the line of a requirements.txt that asks for a range. */
export function formatRequirementLine({
  name,
  requested,
}: Omit<WrittenPackageRange, "ecosystem">): string {
  return `${name}${requested ?? ""}`;
}

/**
 * Returns whether a manifest that asks for a range asks for that package and range and for nothing
 * else. It does not if the text holds a line end, a comment, an option, an address or an alias.
 */
export function isManifestRangeParsedAsWritten(range: WrittenPackageRange): boolean {
  const { name, requested } = range;
  const read = readBack(range);
  return read?.name === name && read.requested === ((requested ?? "").trim() || null);
}

function readBack(range: WrittenPackageRange): ManifestDependency | undefined {
  if (range.ecosystem === "npm") {
    const read = parseNpmSpecifier(range.name, range.requested ?? "");
    return "name" in read ? read : undefined;
  }
  const { dependencies, unparsed } = parseRequirementsTxt(formatRequirementLine(range));
  return dependencies.length === 1 && unparsed.length === 0 ? dependencies[0] : undefined;
}
