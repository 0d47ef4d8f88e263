import { posix } from "node:path";
import { asRecord, asRecords, asText, type JsonObject } from "../../platform/json-value.ts";
import {
  listDependencies,
  type GraphRoot,
  type MissingNeed,
  type PackageNode,
} from "../dependency-graph.ts";
import { UnreadableTextError, type DependencyFile } from "../dependency-file.ts";
import {
  addressOrigin,
  gitOrigin,
  joinOrigins,
  publicOrigin,
  pythonFileOrigin,
  registryOrigin,
  type Origin,
} from "../origin.ts";
import { findTableLines, lockedPackages, parseToml } from "../document/toml-document.ts";
import { keysByReference } from "../position-keys.ts";

/** Reads a uv.lock. Packages of the project itself are those that it finds in folders. */
export function readUvLock(text: string): DependencyFile {
  const lock = parseToml(text);
  if (lock["version"] === undefined) {
    throw new UnreadableTextError("invalid_lock: it has no version", 1);
  }
  const packages = lockedPackages(lock);
  const lines = findTableLines(text, "package", packages.length);
  const references = keysByReference(
    packages.map((entry) => [asText(entry["name"]) ?? "", pinOf(entry)]),
  );
  const nodes = new Map<string, PackageNode>();
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
    ...listDependencies({ ecosystem: "pypi", nodes, references, roots }),
    members: members.map((entry) => folderOf(entry) ?? "."),
  };
}

/** Folder of a package of the project itself; undefined for any other, or one outside of it. */
function folderOf(entry: JsonObject): string | undefined {
  const source = asRecord(entry["source"]);
  // uv takes the first kind that it finds, in this order.
  if (["registry", "git", "url", "path"].some((kind) => kind in source)) return undefined;
  const folder =
    asText(source["directory"]) ?? asText(source["editable"]) ?? asText(source["virtual"]);
  return folder === undefined || isOutside(folder) ? undefined : folder;
}

function isOutside(folder: string): boolean {
  return posix.isAbsolute(folder) || /^\.\.(?:\/|$)/.test(posix.normalize(folder));
}

function pinOf(entry: JsonObject): string {
  return `${asText(entry["name"]) ?? ""}@${asText(entry["version"]) ?? ""}`;
}

/** A version is named where there are several of the package, else the name is the reference. */
function needed(value: unknown, references: ReadonlyMap<string, readonly string[]>): string[] {
  return asRecords(value).flatMap((entry) => {
    const reference = entry["version"] === undefined ? (asText(entry["name"]) ?? "") : pinOf(entry);
    return references.has(reference) ? [reference] : [];
  });
}

function missingNeeds(
  entry: JsonObject,
  references: ReadonlyMap<string, readonly string[]>,
): MissingNeed[] {
  return needsOf(entry)
    .flatMap((value) => asRecords(value))
    .flatMap((need): MissingNeed[] => {
      const [name = "", version] = [asText(need["name"]), asText(need["version"])];
      if (version === undefined) return references.has(name) ? [] : [{ name, requested: null }];
      return references.has(pinOf(need)) ? [] : [{ name, requested: `==${version}`, version }];
    });
}

function needsOf(entry: JsonObject): unknown[] {
  return [entry["dependencies"], ...Object.values(asRecord(entry["optional-dependencies"]))];
}

function nodeOf(
  entry: JsonObject,
  references: ReadonlyMap<string, readonly string[]>,
  line: number | undefined,
): PackageNode {
  const version = asText(entry["version"]);
  return {
    name: asText(entry["name"]) ?? "",
    ...(version !== undefined && { version }),
    line,
    requires: needsOf(entry).flatMap((value) => needed(value, references)),
    ...originOf(entry),
  };
}

function rootsOf(
  entry: JsonObject,
  references: ReadonlyMap<string, readonly string[]>,
): GraphRoot[] {
  const groups: (readonly [string, unknown])[] = [
    ["production", entry["dependencies"]],
    ...Object.entries(asRecord(entry["optional-dependencies"])),
    ...Object.entries(asRecord(entry["dev-dependencies"])).map(
      ([name, value]) => [name === "dev" ? "development" : name, value] as const,
    ),
  ];
  return groups.flatMap(([group, value]) =>
    needed(value, references).map((key) => ({ key, group })),
  );
}

/** uv installs from the addresses of the files, whatever index they are listed under. */
function originOf(entry: JsonObject): Origin {
  const source = asRecord(entry["source"]);
  if (source["registry"] === undefined) {
    if (source["git"] !== undefined) return gitOrigin(asText(source["git"]));
    if (source["url"] !== undefined) return addressOrigin("url", asText(source["url"]));
    const local = ["path", "directory", "editable", "virtual"].find((kind) => kind in source);
    if (local !== undefined) return addressOrigin("local", asText(source[local]));
  }
  const [name = "", version = ""] = [asText(entry["name"]), asText(entry["version"])];
  const files = [...asRecords([entry["sdist"]]), ...asRecords(entry["wheels"])];
  return joinOrigins([
    registryOrigin("pypi", asText(source["registry"])),
    ...files.map(({ url, path }) => {
      const address = asText(url);
      if (address !== undefined) return pythonFileOrigin(name, version, address);
      return path === undefined ? publicOrigin : addressOrigin("local", asText(path));
    }),
  ]);
}
