/** A package that a path leads into. */
interface HintedPackage {
  readonly name: string;
  readonly version: string;
}

/**
 * Finds the package of an assembly by the path to it, in a folder of packages of a solution
 * (`packages/Newtonsoft.Json.13.0.1/lib`) or of a user (`packages/newtonsoft.json/13.0.1/lib`).
 * Returns undefined for any other path.
 */
export function findNugetPackageByHintPath(path: string): HintedPackage | undefined {
  const names = path.split(/[\\/]/);
  const packages = names.findLastIndex((name) => /(?:^|\))packages$/i.test(name));
  const [folder = "", next = "", ...rest] = packages === -1 ? [] : names.slice(packages + 1);
  if (rest.length > 0 && findVersionStart(next.split(".")) === 0) {
    return { name: folder, version: next };
  }
  const parts = folder.split(".");
  const start = next === "" ? -1 : findVersionStart(parts);
  if (start < 1) return undefined;
  return { name: parts.slice(0, start).join("."), version: parts.slice(start).join(".") };
}

/** Index of the first of two numbers in a row, which no name of a package has; -1 for none. */
function findVersionStart(parts: readonly string[]): number {
  return parts.findIndex(
    (part, at) => /^\d+$/.test(part) && /^\d+(?:[-+].*)?$/.test(parts[at + 1] ?? ""),
  );
}
