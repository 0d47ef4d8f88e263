import { asJsonObjectOrEmpty, asNonBlankStrings } from "../../platform/json-value.ts";
import type { SiblingFileReader } from "../dependency-file.ts";
import type { DependencyGraphRoot } from "../dependency-graph.ts";
import { parseJsonObject } from "../document/json-document.ts";
import { readNpmManifestEntries, type NpmManifestEntry } from "./npm-groups.ts";

/** What the package.json beside a lock file asks for; undefined: there is none that can be read. */
export function readAdjacentPackageJsonEntries(
  beside: SiblingFileReader,
  folder = ".",
): NpmManifestEntry[] | undefined {
  const text = beside(folder === "." ? "package.json" : `${folder}/package.json`);
  if (text === undefined) return undefined;
  try {
    return readNpmManifestEntries(parseJsonObject(text));
  } catch {
    return undefined;
  }
}

/** The roots of a lock file that does not name them. */
export function readAdjacentPackageJsonRoots(
  beside: SiblingFileReader,
  keyOf: (name: string, specifier: string) => string,
  nodes: ReadonlyMap<string, unknown>,
): DependencyGraphRoot[] | undefined {
  return readAdjacentPackageJsonEntries(beside)?.flatMap(({ name, specifier, group }) => {
    const key = keyOf(name, specifier);
    return nodes.has(key) ? [{ key, group }] : [];
  });
}

/**
 * Names among those of a lock file that `resolutions` of the package.json beside it replaces: what
 * needs them may ask for a range that the lock file does not have.
 */
export function readAdjacentPackageJsonResolutions(
  beside: SiblingFileReader,
  names: ReadonlySet<string>,
): ReadonlySet<string> {
  try {
    const { resolutions } = parseJsonObject(beside("package.json") ?? "{}");
    return new Set(
      Object.keys(asJsonObjectOrEmpty(resolutions)).flatMap((pattern) => {
        const [, name = ""] = /(?:^|\/)((?:@[^/@]+\/)?[^/@]+)(?:@[^/]*)?$/.exec(pattern) ?? [];
        return names.has(name) ? [name] : [];
      }),
    );
  } catch {
    return new Set();
  }
}

/** Folders of the workspaces that the package.json beside a lock file names, as patterns. */
export function readAdjacentPackageJsonWorkspaces(beside: SiblingFileReader): string[] {
  const text = beside("package.json");
  try {
    const { workspaces } = parseJsonObject(text ?? "{}");
    return [
      ...asNonBlankStrings(workspaces),
      ...asNonBlankStrings(asJsonObjectOrEmpty(workspaces)["packages"]),
    ];
  } catch {
    return [];
  }
}
