import {
  asJsonObjectOrEmpty,
  asNonBlankString,
  type JsonObject,
} from "../../platform/json-value.ts";
import {
  flattenDependencyGraph,
  type DependencyGraphRoot,
  type DependencyGraphNode,
} from "../dependency-graph.ts";
import {
  toDeclaredRequirementKey,
  type DependencyFile,
  type FileDependency,
} from "../dependency-file.ts";
import { parseJsonObject } from "../document/json-document.ts";
import { createJsonMemberLineLookup, type JsonMemberLineLookup } from "../document/member-lines.ts";
import {
  createNpmInstallTreeNode,
  ensureNpmInstallTreeNode,
  walkNpmInstallTree,
} from "./folders.ts";
import { readNpmManifestEntries, type NpmManifestEntry } from "./npm-groups.ts";
import { toNonRegistryDownloadSource, toNpmArchiveDownloadSource } from "../origin.ts";
import { extractSkipReasonCode } from "../manifest.ts";
import { assertNpmLockPackagesObject, parseLockedNpmIdentity } from "./locked-package.ts";
import { toNpmDependencyWithoutLockEntry } from "./missing-need.ts";
import { findNpmNonRegistryReason } from "./non-registry-reason.ts";
import { parseNestedPackageLock } from "./nested-lock.ts";

const installed = "node_modules/";

/**
 * Reads a package-lock.json or npm-shrinkwrap.json of the versions 2 and 3, by
 * `packages`; of version 1, which has no such member, by `dependencies`.
 */
export function parsePackageLock(
  text: string,
  beside: (path: string) => string | undefined,
): DependencyFile {
  const lock = parseJsonObject(text);
  if (!Object.hasOwn(lock, "packages")) return parseNestedPackageLock(lock, text, beside);
  assertNpmLockPackagesObject(lock["packages"]);
  const packages = new Map(
    Object.entries(asJsonObjectOrEmpty(lock["packages"])).map(([path, entry]) => [
      path,
      asJsonObjectOrEmpty(entry),
    ]),
  );
  const needs = needsIn(packages);
  const outside = outsideReasons(needs);
  const lines = createJsonMemberLineLookup(text);
  const nodes = new Map<string, DependencyGraphNode>();
  for (const [path, entry] of packages) {
    if (isPackage(path, entry))
      nodes.set(path, nodeOf(path, entry, needs.get(path) ?? [], lines, outside.get(path)));
  }
  const members = [...packages.keys()].filter((path) => !isInstalled(path));
  const asked = members.flatMap((path) => needs.get(path) ?? []);
  const file = flattenDependencyGraph({ ecosystem: "npm", nodes, roots: rootsOf(asked) });
  const nested = Object.hasOwn(lock, "dependencies")
    ? parseNestedPackageLock(lock, text, beside)
    : noFile;
  return {
    ...withNested(file, nested, packages),
    members,
    requests: new Set(
      asked.map(({ name, specifier }) => toDeclaredRequirementKey(name, specifier)),
    ),
  };
}

const noFile: DependencyFile = { dependencies: [], unparsed: [] };

/**
 * Adds what `dependencies` has and `packages` does not: npm 6 installs by the former, later ones by
 * the latter. Where they agree, `dependencies` writes the address of what is fetched from elsewhere
 * in place of its version.
 */
function withNested(
  { dependencies, unparsed }: DependencyFile,
  nested: DependencyFile,
  packages: ReadonlyMap<string, JsonObject>,
): DependencyFile {
  const known = new Set(dependencies.map(pinOf));
  const reported = new Set(
    unparsed.map(({ text, reason }) => `${extractSkipReasonCode(reason)} ${text}`),
  );
  const addresses = new Set<string>();
  for (const [path, { resolved }] of packages) {
    if (typeof resolved !== "string") continue;
    const name = path.slice(path.lastIndexOf(installed) + installed.length);
    for (const address of [resolved, `file:${resolved}`]) addresses.add(keyOf(name, address));
  }
  const others = nested.unparsed.filter(
    ({ text, reason }) =>
      // Two texts that were cut need not be the same.
      text.includes("…") ||
      (!reported.has(`${extractSkipReasonCode(reason)} ${text}`) && !addresses.has(text)),
  );
  return {
    dependencies: [
      ...dependencies,
      ...nested.dependencies.filter((dependency) => !known.has(pinOf(dependency))),
    ],
    unparsed: [...unparsed, ...others],
  };
}

function pinOf({ name, version, requested }: FileDependency): string {
  return keyOf(name, version ?? requested ?? "");
}

function keyOf(name: string, version = ""): string {
  return `${name}@${version}`;
}

/** A link within the project leads to a part of it; one that leads out is told. */
function isPackage(path: string, { link, resolved }: JsonObject): boolean {
  return isInstalled(path) && (link !== true || isOutside(resolved));
}

function isOutside(resolved: unknown): boolean {
  return typeof resolved === "string" && /^(\.\.|\/|[a-z]+:)/i.test(resolved);
}

function isInstalled(path: string): boolean {
  return path.startsWith(installed) || path.includes(`/${installed}`);
}

function nodeOf(
  path: string,
  entry: JsonObject,
  needs: readonly Need[],
  lines: JsonMemberLineLookup,
  outside: string | undefined,
): DependencyGraphNode {
  const name =
    asNonBlankString(entry["name"]) ?? path.slice(path.lastIndexOf(installed) + installed.length);
  const locked = parseLockedNpmIdentity(name, asNonBlankString(entry["version"]));
  const resolved = asNonBlankString(entry["resolved"]);
  const isLocal = resolved !== undefined && isOutside(resolved) && entry["link"] === true;
  const origin = toNpmArchiveDownloadSource(locked.name, locked.version, resolved);
  const reason = isLocal ? "local" : (locked.reason ?? outside ?? origin.reason);
  // What leads past the registry may have the path of an archive of one.
  const elsewhere = origin.reason === undefined && reason !== undefined;
  return {
    ...(elsewhere ? toNonRegistryDownloadSource(reason, resolved) : origin),
    ...locked,
    line: lines("packages", path),
    requires: needs.flatMap(({ group, place }) =>
      place === undefined || group === "development" ? [] : [place],
    ),
    missing: needs.flatMap(({ name: needed, specifier, group, place }) =>
      place !== undefined || group === "development" || isOptionalPeer(entry, needed, group)
        ? []
        : [toNpmDependencyWithoutLockEntry(needed, specifier)],
    ),
    reason,
  };
}

/** npm leaves out nothing else that a lock file lacks. */
function isOptionalPeer(entry: JsonObject, name: string, group: string): boolean {
  const peers = asJsonObjectOrEmpty(entry["peerDependenciesMeta"]);
  return group === "peer" && asJsonObjectOrEmpty(peers[name])["optional"] === true;
}

/** A dependency of a package or a part of the project, and the path where Node finds it. */
interface Need extends NpmManifestEntry {
  readonly place: string | undefined;
}

/** What is needed at each path. */
function needsIn(packages: ReadonlyMap<string, JsonObject>): ReadonlyMap<string, readonly Need[]> {
  const root = createNpmInstallTreeNode<string>();
  for (const path of packages.keys()) {
    const way = path === "" ? [] : path.split("/");
    ensureNpmInstallTreeNode(root, way).readers.push(path);
    const at = way.lastIndexOf("node_modules");
    if (at !== -1)
      ensureNpmInstallTreeNode(root, way.slice(0, at)).installed.set(
        way.slice(at + 1).join("/"),
        path,
      );
  }
  const needs = new Map<string, readonly Need[]>();
  walkNpmInstallTree(root, (path, find) => {
    const entries = readNpmManifestEntries(packages.get(path) ?? {});
    needs.set(
      path,
      entries.map((entry) => ({ ...entry, place: find(entry.name) })),
    );
  });
  return needs;
}

/** Packages that whoever needs them does not ask the registry for. */
function outsideReasons(needs: ReadonlyMap<string, readonly Need[]>): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  for (const { name, specifier, place } of [...needs.values()].flat()) {
    const reason = place === undefined ? undefined : findNpmNonRegistryReason(name, specifier);
    if (reason !== undefined && place !== undefined) reasons.set(place, reason);
  }
  return reasons;
}

function rootsOf(needs: readonly Need[]): DependencyGraphRoot[] {
  return needs.flatMap(({ place, group }) => (place === undefined ? [] : [{ key: place, group }]));
}
