import { parseNpmSpecifier } from "../package-json/npm-spec.ts";

/**
 * Why a specifier leads past the registry: `git`, `url` or `local`. Undefined: it
 * does not, or a workspace knows better (`workspace:`, `catalog:`, `link:`).
 */
export function findNpmNonRegistryReason(name: string, specifier: string): string | undefined {
  if (/^(workspace|catalog|link|portal|patch|virtual):/.test(specifier)) return undefined;
  // A short cut: nearly all of them are ranges.
  if (/^[\d^~*<>=.x| -]*$/.test(specifier)) return undefined;
  const read = parseNpmSpecifier(name, specifier);
  return "reason" in read && /^(git|url|local)\b/.test(read.reason) ? read.reason : undefined;
}
