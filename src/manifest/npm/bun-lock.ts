import {
  asArrayOrEmpty,
  asJsonObjectOrEmpty,
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
  toDeclaredRequirementKey,
  DependencyFileSyntaxError,
  type DependencyFile,
} from "../dependency-file.ts";
import {
  toNpmArchiveDownloadSource,
  markPatchedDownloadSource,
  toRegistryDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";
import { parseYamlDocuments } from "../document/yaml-document.ts";
import {
  createNpmInstallTreeNode,
  ensureNpmInstallTreeNode,
  walkNpmInstallTree,
} from "./folders.ts";
import { assertNpmLockPackagesObject, parseLockedNpmIdentity } from "./locked-package.ts";
import { toNpmDependencyWithoutLockEntry } from "./missing-need.ts";
import { readNpmManifestEntries } from "./npm-groups.ts";

/**
 * Reads a bun.lock: JSON with commas behind the last members, which YAML allows
 * as well. A key is the way to a package that is not shared, `a/b`.
 */
export function parseBunLock(text: string): DependencyFile {
  // YAML does not indent by tabs.
  const [document] = parseYamlDocuments(
    text.replaceAll(/(?:^|\n)\t+/g, (tabs) => tabs.replaceAll("\t", "  ")),
  );
  if (document === undefined) throw new DependencyFileSyntaxError("empty");
  assertNpmLockPackagesObject(document.value["packages"]);
  const packages = new Map(
    Object.entries(asJsonObjectOrEmpty(document.value["packages"])).map(([key, value]) => [
      key,
      asArrayOrEmpty(value),
    ]),
  );
  const lines = document.lines("packages");
  const nodes = new Map<string, DependencyGraphNode>();
  const workspaces = Object.entries(asJsonObjectOrEmpty(document.value["workspaces"]));
  const needs = needsIn(packages, workspaces);
  const patched = new Set(Object.keys(asJsonObjectOrEmpty(document.value["patchedDependencies"])));
  for (const [key, parts] of packages) {
    const node = nodeOf({ key, parts, patched }, needs.ofPackages.get(key) ?? [], lines.get(key));
    const missing = needs.missing.get(key) ?? [];
    if (node === undefined) continue;
    nodes.set(key, { ...node, missing });
  }
  const roots = workspaces.flatMap(([folder]) => needs.ofWorkspaces.get(folder) ?? []);
  return {
    ...flattenDependencyGraph({ ecosystem: "npm", nodes, roots }),
    members: workspaces.map(([folder]) => folder),
    requests: new Set(
      workspaces
        .flatMap(([, entry]) => readNpmManifestEntries(asJsonObjectOrEmpty(entry)))
        .map(({ name, specifier }) => toDeclaredRequirementKey(name, specifier)),
    ),
  };
}

/** A package as the file has it, and `name@version` of those that the project patches. */
interface Entry {
  readonly key: string;
  readonly parts: readonly unknown[];
  readonly patched: ReadonlySet<string>;
}

/** Undefined: a package of the project itself. */
function nodeOf(
  { key, parts, patched }: Entry,
  needs: readonly DependencyGraphRoot[],
  line: number | undefined,
): DependencyGraphNode | undefined {
  const [, name = key, source = ""] =
    /^(@?[^@]+)@(.*)$/s.exec(asNonBlankString(parts[0]) ?? "") ?? [];
  if (/^(workspace|root):/.test(source)) return undefined;
  return {
    name,
    ...(source !== "" && { version: source }),
    line,
    requires: needs.map(({ key: needed }) => needed),
    // The source, and the address in it, are the version.
    ...markPatchedDownloadSource(
      patched.has(`${name}@${source}`),
      originOf(name, source, asNonBlankString(parts[1])),
    ),
  };
}

/** Behind a version is the address of its archive, or of the registry, where that is another one. */
function originOf(
  name: string,
  source: string,
  address: string | undefined,
): PackageDownloadOrigin {
  if (/^(git\+|git@|git:|github:|gitlab:|bitbucket:|ssh:)/.test(source)) return { reason: "git" };
  if (/^(file|link):|^\.{0,2}\//.test(source)) return { reason: "local" };
  const locked = parseLockedNpmIdentity(name, source);
  if (locked.reason !== undefined) return { reason: locked.reason };
  const isArchive = address === undefined || address.includes("/-/") || /\.tgz\b/.test(address);
  return isArchive
    ? toNpmArchiveDownloadSource(name, source, address)
    : toRegistryDownloadSource("npm", address);
}

/** What packages need, by their keys, and what the project's own need, by their folders. */
interface Needs {
  readonly ofPackages: Map<string, readonly DependencyGraphRoot[]>;
  readonly ofWorkspaces: Map<string, readonly DependencyGraphRoot[]>;
  /** What packages need and the file does not have, by their keys. */
  readonly missing: Map<string, readonly DependencyWithoutLockEntry[]>;
}

/** A package or a part of the project that needs others. */
interface Reader {
  readonly key: string;
  readonly manifests: readonly JsonObject[];
  readonly into: Map<string, readonly DependencyGraphRoot[]>;
}

function needsIn(
  packages: ReadonlyMap<string, readonly unknown[]>,
  workspaces: readonly (readonly [folder: string, entry: unknown])[],
): Needs {
  const root = createNpmInstallTreeNode<Reader>();
  const needs: Needs = { ofPackages: new Map(), ofWorkspaces: new Map(), missing: new Map() };
  for (const [key, parts] of packages) {
    const way = wayOf(key);
    const reader = { key, manifests: parts.map(asJsonObjectOrEmpty), into: needs.ofPackages };
    ensureNpmInstallTreeNode(root, way).readers.push(reader);
    ensureNpmInstallTreeNode(root, way.slice(0, -1)).installed.set(way.at(-1) ?? "", key);
  }
  for (const [key, value] of workspaces) {
    const entry = asJsonObjectOrEmpty(value);
    const reader = { key, manifests: [entry], into: needs.ofWorkspaces };
    ensureNpmInstallTreeNode(root, wayOf(asNonBlankString(entry["name"]) ?? "")).readers.push(
      reader,
    );
  }
  walkNpmInstallTree(root, ({ key, manifests, into }, find) => {
    const found = manifests
      .flatMap((manifest) => readNpmManifestEntries(manifest))
      .map((entry) => ({ ...entry, key: find(entry.name) }));
    into.set(
      key,
      found.flatMap(({ key: needed, group }) =>
        needed === undefined ? [] : [{ key: needed, group }],
      ),
    );
    if (into !== needs.ofPackages) return;
    const optional = new Set(
      manifests.flatMap(({ optionalPeers }) => asNonBlankStrings(optionalPeers)),
    );
    const missing = found.filter(
      ({ key: needed, name, group }) =>
        needed === undefined && !(group === "peer" && optional.has(name)),
    );
    needs.missing.set(
      key,
      missing.map(({ name, specifier }) => toNpmDependencyWithoutLockEntry(name, specifier)),
    );
  });
  return needs;
}

/** The packages of `@a/b/c`: `@a/b`, and `c` below it. */
function wayOf(key: string): readonly string[] {
  return key.match(/@[^/]+\/[^/]+|[^/]+/g) ?? [];
}
