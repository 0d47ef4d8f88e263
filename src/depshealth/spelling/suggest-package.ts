import { editDistance } from "../../platform/find-nearest.ts";
import { ecosystems, type Ecosystem } from "../facts.ts";
import { getPopularPackageNames } from "./popular-packages.ts";

/** A package that may be meant by the name of another. */
export interface LikelyIntendedPackage {
  readonly ecosystem: Ecosystem;
  readonly name: string;
}

/** One edit makes half of the shorter names into each other. */
const minNameLength = 5;

/**
 * The much-used package that has the name in another ecosystem, or whose name is
 * almost the same in this one. Undefined: there is none, or the name is much used itself.
 */
export function suggestPopularPackage(
  ecosystem: Ecosystem,
  name: string,
): LikelyIntendedPackage | undefined {
  const own = getPopularPackageNames(ecosystem);
  if (own.has(name) || name.length < minNameLength) return undefined;
  const elsewhere = ecosystems.find(
    (it) => it !== ecosystem && getPopularPackageNames(it).has(name),
  );
  if (elsewhere !== undefined) return { ecosystem: elsewhere, name };
  const near = [...own].find((other) => isNear(name.toLowerCase(), other.toLowerCase()));
  return near === undefined ? undefined : { ecosystem, name: near };
}

/** One edit, or the name without its vendor, group or path. */
function isNear(name: string, other: string): boolean {
  if (other.endsWith(`/${name}`) || other.endsWith(`:${name}`)) return true;
  if (Math.abs(name.length - other.length) > 1 || other.length < minNameLength) return false;
  return editDistance(name, other) === 1;
}
