import {
  asJsonObjectOrEmpty,
  asNonBlankString,
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
import { truncateToExcerpt } from "../manifest.ts";
import {
  toNonRegistryDownloadSource,
  toGitDownloadSource,
  mergePackageDownloadSources,
  toNpmArchiveDownloadSource,
  markPatchedDownloadSource,
  toRegistryDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";
import { assertNpmLockPackagesObject } from "./locked-package.ts";
import { toNpmDependencyWithoutLockEntry } from "./missing-need.ts";
import { parseYamlDocuments, type YamlDocument } from "../document/yaml-document.ts";

const groups: readonly (readonly [member: string, group: string])[] = [
  ["dependencies", "production"],
  ["optionalDependencies", "optional"],
  ["devDependencies", "development"],
  ["configDependencies", "development"],
];

/**
 * Reads a pnpm-lock.yaml of the versions 5, 6 and 9; of several documents in it
 * (version 11 of pnpm keeps its own packages in one) all.
 */
export function parsePnpmLock(text: string): DependencyFile {
  const files = parseYamlDocuments(text).map(readDocument);
  if (files.length === 0) throw new DependencyFileSyntaxError("empty");
  return {
    dependencies: files.flatMap(({ dependencies }) => dependencies),
    unparsed: files.flatMap(({ unparsed }) => unparsed),
    members: files.flatMap(({ members = [] }) => members),
    requests: new Set(files.flatMap(({ requests = [] }) => [...requests])),
  };
}

function readDocument(document: YamlDocument): DependencyFile {
  const { value } = document;
  const format = asNonBlankString(value["lockfileVersion"]);
  if (format === undefined) {
    throw new DependencyFileSyntaxError("invalid_lock: it has no lockfileVersion", 1);
  }
  assertNpmLockPackagesObject(value["packages"]);
  assertNpmLockPackagesObject(value["snapshots"]);
  const lines = document.lines("packages");
  const nodes = new Map<string, DependencyGraphNode>();
  const details = new Map(Object.entries(asJsonObjectOrEmpty(value["packages"])));
  const entries = entriesIn(details, Number.parseFloat(format) < 7 ? {} : value["snapshots"]);
  for (const [key, entry] of entries) {
    const plain = withoutPeers(key);
    const detail = asJsonObjectOrEmpty(details.get(key) ?? details.get(plain));
    const node = nodeOf(
      key,
      asJsonObjectOrEmpty(entry),
      detail,
      lines.get(key) ?? lines.get(plain),
    );
    nodes.set(key, { ...node, missing: missingNeeds(asJsonObjectOrEmpty(entry), entries) });
  }
  const importers = Object.entries(asJsonObjectOrEmpty(value["importers"] ?? { ".": value }));
  const roots = importers.flatMap(([, entry]) => rootsOf(asJsonObjectOrEmpty(entry), nodes));
  return {
    ...flattenDependencyGraph({ ecosystem: "npm", nodes, roots }),
    members: importers.map(([folder]) => folder),
    requests: new Set(importers.flatMap(([, entry]) => requestsOf(asJsonObjectOrEmpty(entry)))),
  };
}

/**
 * Version 9 has the packages in one member and what they need in another, by peers; an earlier one
 * has all in the first, and reads no other.
 */
function entriesIn(
  packages: ReadonlyMap<string, unknown>,
  snapshots: unknown,
): ReadonlyMap<string, unknown> {
  const entries = new Map(Object.entries(asJsonObjectOrEmpty(snapshots)));
  const known = new Set([...entries.keys()].map(withoutPeers));
  const others = [...packages].filter(([key]) => !entries.has(key) && !known.has(key));
  return new Map([...entries, ...others]);
}

function nodeOf(
  key: string,
  entry: JsonObject,
  detail: JsonObject,
  line: number | undefined,
): DependencyGraphNode {
  const named = packageOf(key);
  const name = asNonBlankString(detail["name"]) ?? named.name;
  const version = asNonBlankString(detail["version"]) ?? named.version;
  const resolution = asJsonObjectOrEmpty(detail["resolution"]);
  return {
    name,
    ...(version !== undefined && { version }),
    line,
    requires: needsOf(entry).flatMap(([other, reference]) => keysOf(other, reference)),
    ...markPatchedDownloadSource(
      /\(patch_hash=/.test(key),
      originOf(key, name, version, resolution),
    ),
  };
}

function needsOf(entry: JsonObject): [name: string, reference: string][] {
  return [entry["dependencies"], entry["optionalDependencies"]].flatMap((member) =>
    Object.entries(asJsonObjectOrEmpty(member)).map(([name, reference]): [string, string] => [
      name,
      String(reference),
    ]),
  );
}

/** A link leads to a part of the project. */
function missingNeeds(
  entry: JsonObject,
  entries: ReadonlyMap<string, unknown>,
): DependencyWithoutLockEntry[] {
  return needsOf(entry).flatMap(([name, reference]) => {
    if (reference.startsWith("link:")) return [];
    if (keysOf(name, reference).some((key) => entries.has(key))) return [];
    const plain = withoutPeers(reference).replace(/^(\d[^_]*)_.*$/, "$1");
    const other = packageOf(plain);
    const isKey = other.version !== undefined && /^\d/.test(other.version);
    return [
      isKey
        ? toNpmDependencyWithoutLockEntry(other.name, other.version)
        : toNpmDependencyWithoutLockEntry(name, plain),
    ];
  });
}

function rootsOf(
  importer: JsonObject,
  nodes: ReadonlyMap<string, DependencyGraphNode>,
): DependencyGraphRoot[] {
  return groups.flatMap(([member, group]) =>
    Object.entries(asJsonObjectOrEmpty(importer[member])).flatMap(([name, value]) => {
      const reference =
        asNonBlankString(value) ?? asNonBlankString(asJsonObjectOrEmpty(value)["version"]) ?? "";
      const key = keysOf(name, reference).find((candidate) => nodes.has(candidate));
      return key === undefined ? [] : [{ key, group }];
    }),
  );
}

/** Early versions have what was asked for in a member of its own. */
function requestsOf(importer: JsonObject): string[] {
  const specifiers = asJsonObjectOrEmpty(importer["specifiers"]);
  return groups.flatMap(([member]) =>
    Object.entries(asJsonObjectOrEmpty(importer[member])).map(([name, value]) =>
      toDeclaredRequirementKey(
        name,
        asNonBlankString(specifiers[name]) ??
          asNonBlankString(asJsonObjectOrEmpty(value)["specifier"]) ??
          "",
      ),
    ),
  );
}

/** Keys that a reference may mean: a version of the name, or a key (of an alias, an address). */
function keysOf(name: string, reference: string): string[] {
  return [`${name}@${reference}`, `/${name}@${reference}`, `/${name}/${reference}`, reference];
}

/** `/@scope/name/1.0.0_peers`, `/name@1.0.0(peers)`, `name@1.0.0(peers)`. */
function packageOf(key: string): { readonly name: string; readonly version?: string } {
  const plain = withoutPeers(key).replace(/^\//, "");
  const [, name = plain, version] =
    /^((?:@[^/@]+\/)?[^/@]+)@(.+)$/.exec(plain) ??
    /^((?:@[^/]+\/)?[^/]+)\/([^/_]+)(?:_.*)?$/.exec(plain) ??
    [];
  return { name, ...(version !== undefined && { version }) };
}

function withoutPeers(key: string): string {
  const at = key.indexOf("(");
  return at === -1 ? key : key.slice(0, at);
}

function originOf(
  key: string,
  name: string,
  version: string | undefined,
  { type, repo, directory, tarball, registry }: JsonObject,
): PackageDownloadOrigin {
  if (type === "git" || repo !== undefined || /@git\+|codeload\.github/.test(key)) {
    return toGitDownloadSource(
      asNonBlankString(repo) ?? asNonBlankString(tarball) ?? sourceIn(key),
    );
  }
  if (type === "directory" || directory !== undefined || /(^|@)(file|link):/.test(key)) {
    return toNonRegistryDownloadSource(
      "local",
      asNonBlankString(directory) ?? asNonBlankString(tarball) ?? sourceIn(key),
    );
  }
  const address = asNonBlankString(tarball);
  if (/@https?:/.test(key)) {
    return toNonRegistryDownloadSource(/\bgit/.test(key) ? "git" : "url", address ?? sourceIn(key));
  }
  if (type !== undefined) {
    return toNonRegistryDownloadSource(
      `url: it is of the kind ${truncateToExcerpt(asNonBlankString(type) ?? "unknown")}`,
      address,
    );
  }
  if (isAddress(key)) {
    // In version 5 and 6 what is not of the registry has no slash in front of it.
    const isGit = address?.includes("git") === true;
    if (address !== undefined) return toNonRegistryDownloadSource(isGit ? "git" : "url", address);
    return toRegistryDownloadSource("npm", `https://${key}`);
  }
  return mergePackageDownloadSources([
    toNpmArchiveDownloadSource(name, version, address),
    toRegistryDownloadSource("npm", asNonBlankString(registry)),
  ]);
}

/** Returns the part of a key behind the name. */
function sourceIn(key: string): string {
  return key.slice(key.indexOf("@", 1) + 1);
}

/** `codeload.example/a/b`: a dot before a slash, and before any `@`. */
function isAddress(key: string): boolean {
  const [host = ""] = key.split("@", 1);
  const dot = host.indexOf(".", 1);
  return !host.startsWith("/") && dot !== -1 && host.includes("/", dot);
}
