import { normalizePackageName } from "../../manifest/normalize-name.ts";
import type { Ecosystem } from "../facts.ts";

/**
 * Returns the name that a document has for a package if that is another spelling of the requested
 * name, else the requested name: a document may claim the name of another package.
 */
export function choosePackageNameSpelling(
  ecosystem: Ecosystem,
  requested: string,
  written: string | null | undefined,
): string {
  if (written === null || written === undefined) return requested;
  const isSame =
    normalizePackageName(ecosystem, written) === normalizePackageName(ecosystem, requested);
  return isSame ? written : requested;
}
