import {
  asJsonObjectOrEmpty,
  asNonBlankString,
  isJsonObject,
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
import { parseJsonObject } from "../document/json-document.ts";
import {
  toNonRegistryDownloadSource,
  parseForgeRepositoryUrl,
  toGitDownloadSource,
  mergePackageDownloadSources,
  toRegistryDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";
import { createJsonMemberLineLookup, type JsonMemberLineLookup } from "../document/member-lines.ts";
import {
  composerBranchUnparsedReason,
  isComposerBranchVersion,
  parseComposerConstraint,
} from "./composer-constraint.ts";

const members: readonly (readonly [member: string, group: string])[] = [
  ["packages", "production"],
  ["packages-dev", "development"],
];

/** Reads a composer.lock; the composer.json beside it says what is direct. */
export function parseComposerLock(text: string, beside: SiblingFileReader): DependencyFile {
  const lock = parseJsonObject(text);
  if (lock["packages"] === undefined) {
    throw new DependencyFileSyntaxError("invalid_lock: it has no packages", 1);
  }
  const lines = createJsonMemberLineLookup(text);
  const manifest = manifestBeside(beside);
  const nodes = new Map<string, DependencyGraphNode>();
  const listed = members.map(([member, group]) => ({
    member,
    group,
    packages: packagesIn(lock[member]),
  }));
  const entries = listed.flatMap(({ packages }) => packages.map(([, entry]) => entry));
  const present = new Set([...entries.map(nameOf), ...replacedNames([...entries, manifest ?? {}])]);
  for (const { member, group, packages } of listed) {
    for (const [at, entry] of packages) {
      const missing = missingNeeds(entry, present);
      const name = nameOf(entry);
      // A name may be in both lists.
      const key = nodes.has(name) ? `${name} ${member} ${at.toString()}` : name;
      nodes.set(key, { ...nodeOf(entry, group, lines, [member, at]), missing });
    }
  }
  return flattenDependencyGraph({ ecosystem: "packagist", nodes, roots: rootsIn(manifest) });
}

/** The packages of a list, or of an object, which Composer reads as well. Throws for anything else. */
function packagesIn(value: unknown): (readonly [at: string | number, entry: JsonObject])[] {
  const list = value ?? [];
  const pairs: readonly (readonly [string | number, unknown])[] = Array.isArray(list)
    ? [...list.entries()]
    : Object.entries(asJsonObjectOrEmpty(list));
  if (typeof list !== "object" || !pairs.every(([, entry]) => isJsonObject(entry))) {
    throw new DependencyFileSyntaxError("invalid_lock: a list of packages has something else", 1);
  }
  return pairs.map(([at, entry]) => [at, asJsonObjectOrEmpty(entry)]);
}

/** Names that packages, or the project, stand for. */
function replacedNames(entries: readonly JsonObject[]): string[] {
  return entries
    .flatMap(({ provide, replace }) => [provide, replace])
    .flatMap((names) => Object.keys(asJsonObjectOrEmpty(names)))
    .map((name) => name.toLowerCase());
}

/** PHP, its extensions and Composer itself have no vendor. */
function missingNeeds(
  entry: JsonObject,
  present: ReadonlySet<string>,
): DependencyWithoutLockEntry[] {
  return Object.entries(asJsonObjectOrEmpty(entry["require"]))
    .filter(([name]) => name.includes("/") && !present.has(name.toLowerCase()))
    .flatMap(([name, value]) => missingNeedsOf(name, asNonBlankString(value) ?? ""));
}

function missingNeedsOf(name: string, requested: string): DependencyWithoutLockEntry[] {
  const { hasBranch, releases } = parseComposerConstraint(requested);
  const branch = { name, text: `${name} ${requested}`, reason: composerBranchUnparsedReason };
  return [
    ...(hasBranch ? [branch] : []),
    ...(releases === undefined ? [] : [{ name, requested: releases || null }]),
  ];
}

function nameOf(entry: JsonObject): string {
  return (asNonBlankString(entry["name"]) ?? "").toLowerCase();
}

function nodeOf(
  entry: JsonObject,
  group: string,
  lines: JsonMemberLineLookup,
  at: readonly [string, string | number],
): DependencyGraphNode {
  const version = asNonBlankString(entry["version"]);
  return {
    name: asNonBlankString(entry["name"]) ?? "",
    ...(version !== undefined && { version }),
    line: lines(...at),
    requires: Object.keys(asJsonObjectOrEmpty(entry["require"])).map((name) => name.toLowerCase()),
    groups: [group],
    ...originOf(entry, version),
  };
}

/** A branch is no version of the registry: it is fetched from its repository. */
function originOf(entry: JsonObject, version = ""): PackageDownloadOrigin {
  const [dist, source] = [asJsonObjectOrEmpty(entry["dist"]), asJsonObjectOrEmpty(entry["source"])];
  if (dist["type"] === "path" || source["type"] === "path") {
    return toNonRegistryDownloadSource(
      "local",
      asNonBlankString(dist["url"]) ?? asNonBlankString(source["url"]),
    );
  }
  if (isComposerBranchVersion(version)) {
    return toGitDownloadSource(
      asNonBlankString(source["url"]) ?? asNonBlankString(dist["url"]),
      composerBranchUnparsedReason,
    );
  }
  const urls = [dist["url"], source["url"]].flatMap((url) => asNonBlankString(url) ?? []);
  const [first, ...others] = urls.map(parseForgeRepositoryUrl);
  // The registry has no files of its own: it leads to a forge, by one repository for both.
  if (first !== undefined && others.some((other) => other !== undefined && other !== first)) {
    const reason = "url: its archive is of another repository than its source";
    return toNonRegistryDownloadSource(reason, [first, ...others].join(" "));
  }
  return mergePackageDownloadSources(
    urls
      .filter((url) => parseForgeRepositoryUrl(url) === undefined)
      .map((url) =>
        toRegistryDownloadSource("packagist", url.replace(/^git@([^:/]+):/, "https://$1/")),
      ),
  );
}

/** Undefined: there is no composer.json beside the lock file, or it cannot be read. */
function manifestBeside(beside: SiblingFileReader): JsonObject | undefined {
  const text = beside("composer.json");
  if (text === undefined) return undefined;
  try {
    return parseJsonObject(text);
  } catch {
    return undefined;
  }
}

function rootsIn(manifest: JsonObject | undefined): DependencyGraphRoot[] | undefined {
  if (manifest === undefined) return undefined;
  return ["require", "require-dev"].flatMap((member) =>
    Object.keys(asJsonObjectOrEmpty(manifest[member])).map((name) => ({
      key: name.toLowerCase(),
      group: member === "require" ? "production" : "development",
    })),
  );
}
