import {
  asJsonObjectElements,
  asNonBlankString,
  asNonBlankStrings,
  type JsonObject,
} from "../../platform/json-value.ts";
import {
  flattenDependencyGraph,
  type DependencyGraphRoot,
  type DependencyWithoutLockEntry,
  type DependencyGraphNode,
} from "../dependency-graph.ts";
import {
  DependencyFileSyntaxError,
  type SiblingFileReader,
  type DependencyFile,
} from "../dependency-file.ts";
import { toExcerptWithDigest } from "../manifest.ts";
import {
  findTomlTableLines,
  readTomlLockPackageTables,
  parseToml,
} from "../document/toml-document.ts";
import {
  toNonRegistryDownloadSource,
  toGitDownloadSource,
  toRegistryDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";
import {
  readCargoDependencyEntries,
  readCrateReplacements,
  readCargoWorkspacePatterns,
} from "./cargo-entries.ts";

/** Reads a Cargo.lock. What has no source is of the project itself; the Cargo.toml beside it says what for. */
export function parseCargoLock(text: string, beside: SiblingFileReader): DependencyFile {
  const lock = parseToml(text);
  const packages = readTomlLockPackageTables(lock);
  if (packages.length === 0 && lock["version"] === undefined) {
    throw new DependencyFileSyntaxError("invalid_lock: it has no packages", 1);
  }
  const lines = findTomlTableLines(text, "package", packages.length);
  const own = [...packages.filter(isWorkspaceMember), ...asJsonObjectElements([lock["root"]])];
  const keys = keysByReference(packages);
  const nodes = new Map<string, DependencyGraphNode>();
  for (const [at, entry] of packages.entries()) {
    if (!isWorkspaceMember(entry)) nodes.set(keyOf(entry), nodeOf(entry, keys, lines[at]));
  }
  const manifest = manifestBeside(beside);
  const groups = groupsIn(manifest, beside);
  const roots = own.flatMap((entry) => rootsOf(entry, keys, groups));
  const file = flattenDependencyGraph({ ecosystem: "cargo", nodes, roots });
  // The lock file has the source of all others; a crate in a folder has none, as those of the project.
  const folders = readCrateReplacements(manifest).filter(({ reason }) => reason === "local");
  return {
    ...file,
    unparsed: [
      ...file.unparsed,
      ...folders.map(({ name }) => ({
        ...toExcerptWithDigest(name),
        reason: "local: it is patched",
        name,
      })),
    ],
    members: readCargoWorkspacePatterns(manifest),
    memberNames: own.flatMap(({ name }) => asNonBlankString(name) ?? []),
    registryPackages: [...nodes.values()].flatMap(({ name, version = "", hosts = [] }) =>
      hosts.map((registry) => ({ name, registry, requested: version })),
    ),
  };
}

function isWorkspaceMember(entry: JsonObject): boolean {
  return entry["source"] === undefined;
}

function keyOf(entry: JsonObject): string {
  return [entry["name"], entry["version"], entry["source"]]
    .flatMap((value) => asNonBlankString(value) ?? [])
    .join(" ");
}

/** A reference is a name, with the version where that is not clear, and the source likewise. */
function keysByReference(packages: readonly JsonObject[]): ReadonlyMap<string, string> {
  return new Map(
    packages.flatMap((entry) => {
      const name = asNonBlankString(entry["name"]) ?? "";
      const key = keyOf(entry);
      const named = `${name} ${asNonBlankString(entry["version"]) ?? ""}`;
      const source = asNonBlankString(entry["source"]) ?? "";
      return [name, named, `${named} (${source})`].map((reference) => [reference, key] as const);
    }),
  );
}

function nodeOf(
  entry: JsonObject,
  keys: ReadonlyMap<string, string>,
  line: number | undefined,
): DependencyGraphNode {
  const version = asNonBlankString(entry["version"]);
  const references = asNonBlankStrings(entry["dependencies"]);
  return {
    name: asNonBlankString(entry["name"]) ?? "",
    ...(version !== undefined && { version }),
    line,
    requires: references.flatMap((reference) => keys.get(reference) ?? []),
    missing: references.filter((reference) => !keys.has(reference)).map(missingNeed),
    ...sourceOrigin(asNonBlankString(entry["source"]) ?? ""),
  };
}

function missingNeed(reference: string): DependencyWithoutLockEntry {
  const [name = "", version, source] = reference.split(" ", 3);
  const { reason } = source === undefined ? {} : sourceOrigin(source.replace(/^\(|\)$/g, ""));
  if (reason !== undefined) return { name, text: reference, reason };
  return { name, requested: version ?? null, ...(version !== undefined && { version }) };
}

/** `registry+https://…`, `sparse+https://…`, `git+https://…`. */
function sourceOrigin(source: string): PackageDownloadOrigin {
  if (source.startsWith("git+")) return toGitDownloadSource(source.slice("git+".length));
  const [, address] = /^(?:registry|sparse)\+(.*)$/.exec(source) ?? [];
  return address === undefined
    ? toNonRegistryDownloadSource("local", source)
    : toRegistryDownloadSource("cargo", address);
}

function rootsOf(
  entry: JsonObject,
  keys: ReadonlyMap<string, string>,
  groups: ReadonlyMap<string, string>,
): DependencyGraphRoot[] {
  return asNonBlankStrings(entry["dependencies"]).flatMap((reference) => {
    const key = keys.get(reference);
    const group = groups.get(reference.split(" ", 1)[0] ?? "") ?? "production";
    return key === undefined ? [] : [{ key, group }];
  });
}

function manifestBeside(beside: SiblingFileReader): JsonObject {
  try {
    return parseToml(beside("Cargo.toml") ?? "");
  } catch {
    return {};
  }
}

function groupsIn(manifest: JsonObject, beside: SiblingFileReader): ReadonlyMap<string, string> {
  try {
    const entries = readCargoDependencyEntries(manifest, beside);
    // What is needed both ways counts as what comes first: production.
    return new Map(entries.toReversed().map(({ name, group }) => [name, group]));
  } catch {
    return new Map();
  }
}
