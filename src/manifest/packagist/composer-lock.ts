import { asRecord, asText, isRecord, type JsonObject } from "../../platform/json-value.ts";
import {
  listDependencies,
  type GraphRoot,
  type MissingNeed,
  type PackageNode,
} from "../dependency-graph.ts";
import { UnreadableTextError, type ReadSibling, type DependencyFile } from "../dependency-file.ts";
import { parseJsonObject } from "../document/json-document.ts";
import {
  addressOrigin,
  forgeRepository,
  gitOrigin,
  joinOrigins,
  registryOrigin,
  type Origin,
} from "../origin.ts";
import { findMemberLines, type MemberLines } from "../document/member-lines.ts";
import { branchReason, isBranch, readComposerConstraint } from "./composer-constraint.ts";

const members: readonly (readonly [member: string, group: string])[] = [
  ["packages", "production"],
  ["packages-dev", "development"],
];

/** Reads a composer.lock; the composer.json beside it says what is direct. */
export function readComposerLock(text: string, beside: ReadSibling): DependencyFile {
  const lock = parseJsonObject(text);
  if (lock["packages"] === undefined) {
    throw new UnreadableTextError("invalid_lock: it has no packages", 1);
  }
  const lines = findMemberLines(text);
  const manifest = manifestBeside(beside);
  const nodes = new Map<string, PackageNode>();
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
  return listDependencies({ ecosystem: "packagist", nodes, roots: rootsIn(manifest) });
}

/** The packages of a list, or of an object, which Composer reads as well. Throws for anything else. */
function packagesIn(value: unknown): (readonly [at: string | number, entry: JsonObject])[] {
  const list = value ?? [];
  const pairs: readonly (readonly [string | number, unknown])[] = Array.isArray(list)
    ? [...list.entries()]
    : Object.entries(asRecord(list));
  if (typeof list !== "object" || !pairs.every(([, entry]) => isRecord(entry))) {
    throw new UnreadableTextError("invalid_lock: a list of packages has something else", 1);
  }
  return pairs.map(([at, entry]) => [at, asRecord(entry)]);
}

/** Names that packages, or the project, stand for. */
function replacedNames(entries: readonly JsonObject[]): string[] {
  return entries
    .flatMap(({ provide, replace }) => [provide, replace])
    .flatMap((names) => Object.keys(asRecord(names)))
    .map((name) => name.toLowerCase());
}

/** PHP, its extensions and Composer itself have no vendor. */
function missingNeeds(entry: JsonObject, present: ReadonlySet<string>): MissingNeed[] {
  return Object.entries(asRecord(entry["require"]))
    .filter(([name]) => name.includes("/") && !present.has(name.toLowerCase()))
    .flatMap(([name, value]) => missingNeedsOf(name, asText(value) ?? ""));
}

function missingNeedsOf(name: string, requested: string): MissingNeed[] {
  const { hasBranch, releases } = readComposerConstraint(requested);
  const branch = { name, text: `${name} ${requested}`, reason: branchReason };
  return [
    ...(hasBranch ? [branch] : []),
    ...(releases === undefined ? [] : [{ name, requested: releases || null }]),
  ];
}

function nameOf(entry: JsonObject): string {
  return (asText(entry["name"]) ?? "").toLowerCase();
}

function nodeOf(
  entry: JsonObject,
  group: string,
  lines: MemberLines,
  at: readonly [string, string | number],
): PackageNode {
  const version = asText(entry["version"]);
  return {
    name: asText(entry["name"]) ?? "",
    ...(version !== undefined && { version }),
    line: lines(...at),
    requires: Object.keys(asRecord(entry["require"])).map((name) => name.toLowerCase()),
    groups: [group],
    ...originOf(entry, version),
  };
}

/** A branch is no version of the registry: it is fetched from its repository. */
function originOf(entry: JsonObject, version = ""): Origin {
  const [dist, source] = [asRecord(entry["dist"]), asRecord(entry["source"])];
  if (dist["type"] === "path" || source["type"] === "path") {
    return addressOrigin("local", asText(dist["url"]) ?? asText(source["url"]));
  }
  if (isBranch(version)) {
    return gitOrigin(asText(source["url"]) ?? asText(dist["url"]), branchReason);
  }
  const urls = [dist["url"], source["url"]].flatMap((url) => asText(url) ?? []);
  const [first, ...others] = urls.map(forgeRepository);
  // The registry has no files of its own: it leads to a forge, by one repository for both.
  if (first !== undefined && others.some((other) => other !== undefined && other !== first)) {
    const reason = "url: its archive is of another repository than its source";
    return addressOrigin(reason, [first, ...others].join(" "));
  }
  return joinOrigins(
    urls
      .filter((url) => forgeRepository(url) === undefined)
      .map((url) => registryOrigin("packagist", url.replace(/^git@([^:/]+):/, "https://$1/"))),
  );
}

/** Undefined: there is no composer.json beside the lock file, or it cannot be read. */
function manifestBeside(beside: ReadSibling): JsonObject | undefined {
  const text = beside("composer.json");
  if (text === undefined) return undefined;
  try {
    return parseJsonObject(text);
  } catch {
    return undefined;
  }
}

function rootsIn(manifest: JsonObject | undefined): GraphRoot[] | undefined {
  if (manifest === undefined) return undefined;
  return ["require", "require-dev"].flatMap((member) =>
    Object.keys(asRecord(manifest[member])).map((name) => ({
      key: name.toLowerCase(),
      group: member === "require" ? "production" : "development",
    })),
  );
}
