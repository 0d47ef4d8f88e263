import { posix } from "node:path";
import {
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  type JsonObject,
} from "../../platform/json-value.ts";
import {
  flattenDependencyGraph,
  type DependencyGraphRoot,
  type DependencyWithoutLockEntry,
  type DependencyGraphNode,
} from "../dependency-graph.ts";
import { DependencyFileSyntaxError, type DependencyFile } from "../dependency-file.ts";
import {
  toNonRegistryDownloadSource,
  toGitDownloadSource,
  mergePackageDownloadSources,
  defaultPackageDownloadSource,
  toPythonFileDownloadSource,
  toRegistryDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";
import {
  findTomlTableLines,
  readTomlLockPackageTables,
  parseToml,
} from "../document/toml-document.ts";
import { indexLockEntriesByReference } from "../position-keys.ts";

/** Reads a uv.lock. Packages of the project itself are those that it finds in folders. */
export function parseUvLock(text: string): DependencyFile {
  const lock = parseToml(text);
  if (lock["version"] === undefined) {
    throw new DependencyFileSyntaxError("invalid_lock: it has no version", 1);
  }
  const packages = readTomlLockPackageTables(lock);
  const lines = findTomlTableLines(text, "package", packages.length);
  const references = indexLockEntriesByReference(
    packages.map((entry) => [asNonBlankString(entry["name"]) ?? "", pinOf(entry)]),
  );
  const nodes = new Map<string, DependencyGraphNode>();
  for (const [at, entry] of packages.entries()) {
    if (folderOf(entry) === undefined)
      nodes.set(at.toString(), {
        ...nodeOf(entry, references, lines[at]),
        missing: missingNeeds(entry, references),
      });
  }
  const members = packages.filter((entry) => folderOf(entry) !== undefined);
  const roots = members.flatMap((entry) => rootsOf(entry, references));
  return {
    ...flattenDependencyGraph({ ecosystem: "pypi", nodes, references, roots }),
    members: members.map((entry) => folderOf(entry) ?? "."),
  };
}

/** Folder of a package of the project itself; undefined for any other, or one outside of it. */
function folderOf(entry: JsonObject): string | undefined {
  const source = asJsonObjectOrEmpty(entry["source"]);
  // uv takes the first kind that it finds, in this order.
  if (["registry", "git", "url", "path"].some((kind) => kind in source)) return undefined;
  const folder =
    asNonBlankString(source["directory"]) ??
    asNonBlankString(source["editable"]) ??
    asNonBlankString(source["virtual"]);
  return folder === undefined || isOutside(folder) ? undefined : folder;
}

function isOutside(folder: string): boolean {
  return posix.isAbsolute(folder) || /^\.\.(?:\/|$)/.test(posix.normalize(folder));
}

function pinOf(entry: JsonObject): string {
  return `${asNonBlankString(entry["name"]) ?? ""}@${asNonBlankString(entry["version"]) ?? ""}`;
}

/** A version is named where there are several of the package, else the name is the reference. */
function needed(value: unknown, references: ReadonlyMap<string, readonly string[]>): string[] {
  return asJsonObjectElements(value).flatMap((entry) => {
    const reference =
      entry["version"] === undefined ? (asNonBlankString(entry["name"]) ?? "") : pinOf(entry);
    return references.has(reference) ? [reference] : [];
  });
}

function missingNeeds(
  entry: JsonObject,
  references: ReadonlyMap<string, readonly string[]>,
): DependencyWithoutLockEntry[] {
  return needsOf(entry)
    .flatMap((value) => asJsonObjectElements(value))
    .flatMap((need): DependencyWithoutLockEntry[] => {
      const [name = "", version] = [
        asNonBlankString(need["name"]),
        asNonBlankString(need["version"]),
      ];
      if (version === undefined) return references.has(name) ? [] : [{ name, requested: null }];
      return references.has(pinOf(need)) ? [] : [{ name, requested: `==${version}`, version }];
    });
}

function needsOf(entry: JsonObject): unknown[] {
  return [
    entry["dependencies"],
    ...Object.values(asJsonObjectOrEmpty(entry["optional-dependencies"])),
  ];
}

function nodeOf(
  entry: JsonObject,
  references: ReadonlyMap<string, readonly string[]>,
  line: number | undefined,
): DependencyGraphNode {
  const version = asNonBlankString(entry["version"]);
  return {
    name: asNonBlankString(entry["name"]) ?? "",
    ...(version !== undefined && { version }),
    line,
    requires: needsOf(entry).flatMap((value) => needed(value, references)),
    ...originOf(entry),
  };
}

function rootsOf(
  entry: JsonObject,
  references: ReadonlyMap<string, readonly string[]>,
): DependencyGraphRoot[] {
  const groups: (readonly [string, unknown])[] = [
    ["production", entry["dependencies"]],
    ...Object.entries(asJsonObjectOrEmpty(entry["optional-dependencies"])),
    ...Object.entries(asJsonObjectOrEmpty(entry["dev-dependencies"])).map(
      ([name, value]) => [name === "dev" ? "development" : name, value] as const,
    ),
  ];
  return groups.flatMap(([group, value]) =>
    needed(value, references).map((key) => ({ key, group })),
  );
}

/** uv installs from the addresses of the files, whatever index they are listed under. */
function originOf(entry: JsonObject): PackageDownloadOrigin {
  const source = asJsonObjectOrEmpty(entry["source"]);
  if (source["registry"] === undefined) {
    if (source["git"] !== undefined) return toGitDownloadSource(asNonBlankString(source["git"]));
    if (source["url"] !== undefined)
      return toNonRegistryDownloadSource("url", asNonBlankString(source["url"]));
    const local = ["path", "directory", "editable", "virtual"].find((kind) => kind in source);
    if (local !== undefined)
      return toNonRegistryDownloadSource("local", asNonBlankString(source[local]));
  }
  const [name = "", version = ""] = [
    asNonBlankString(entry["name"]),
    asNonBlankString(entry["version"]),
  ];
  const files = [
    ...asJsonObjectElements([entry["sdist"]]),
    ...asJsonObjectElements(entry["wheels"]),
  ];
  return mergePackageDownloadSources([
    toRegistryDownloadSource("pypi", asNonBlankString(source["registry"])),
    ...files.map(({ url, path }) => {
      const address = asNonBlankString(url);
      if (address !== undefined) return toPythonFileDownloadSource(name, version, address);
      return path === undefined
        ? defaultPackageDownloadSource
        : toNonRegistryDownloadSource("local", asNonBlankString(path));
    }),
  ]);
}
