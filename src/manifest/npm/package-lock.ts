import { asRecord, asText, type JsonObject } from "../../platform/json-value.ts";
import { dependenciesIn, type GraphRoot, type PackageNode } from "../dependency-graph.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { jsonObject } from "../document/json-document.ts";
import { memberLines, type MemberLines } from "../document/member-lines.ts";
import { npmGroups } from "./npm-groups.ts";
import { outsideReason } from "./outside-reason.ts";
import { readNestedLock } from "./nested-lock.ts";

const installed = "node_modules/";

/**
 * Reads a package-lock.json or npm-shrinkwrap.json of the versions 2 and 3, by
 * `packages`; of version 1, which has no such member, by `dependencies`.
 */
export function readPackageLock(
  text: string,
  beside: (path: string) => string | undefined,
): DependencyFile {
  const lock = jsonObject(text);
  if (!Object.hasOwn(lock, "packages")) return readNestedLock(lock, text, beside);
  const packages = new Map(
    Object.entries(asRecord(lock["packages"])).map(([path, entry]) => [path, asRecord(entry)]),
  );
  const outside = outsideReasons(packages);
  const lines = memberLines(text);
  const nodes = new Map<string, PackageNode>();
  for (const [path, entry] of packages) {
    if (isPackage(path, entry))
      nodes.set(path, nodeOf(path, entry, packages, lines, outside.get(path)));
  }
  const members = [...packages.keys()].filter((path) => !isInstalled(path));
  const roots = members.flatMap((path) => rootsOf(path, packages));
  return { ...dependenciesIn({ ecosystem: "npm", nodes, roots }), members };
}

/** A link within the project leads to a part of it; one that leads out is told. */
function isPackage(path: string, { link, resolved }: JsonObject): boolean {
  return isInstalled(path) && (link !== true || isOutside(resolved));
}

function isOutside(resolved: unknown): boolean {
  return typeof resolved === "string" && resolved.startsWith("..");
}

function isInstalled(path: string): boolean {
  return path.startsWith(installed) || path.includes(`/${installed}`);
}

function nodeOf(
  path: string,
  entry: JsonObject,
  packages: ReadonlyMap<string, JsonObject>,
  lines: MemberLines,
  outside: string | undefined,
): PackageNode {
  const name = asText(entry["name"]) ?? path.slice(path.lastIndexOf(installed) + installed.length);
  const version = asText(entry["version"]);
  const resolved = asText(entry["resolved"]) ?? "";
  const needed = npmGroups(entry, ["dependencies", "optionalDependencies", "peerDependencies"]);
  return {
    name,
    ...(version !== undefined && { version }),
    line: lines("packages", path),
    requires: needed.flatMap(({ name: other }) => placeOf(other, path, packages) ?? []),
    reason: /^git\b/.test(resolved) ? "git" : /^file:|^\.\./.test(resolved) ? "local" : outside,
  };
}

/** Packages that whoever needs them does not ask the registry for. */
function outsideReasons(packages: ReadonlyMap<string, JsonObject>): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  for (const [path, entry] of packages) {
    for (const { name, specifier } of npmGroups(entry)) {
      const reason = outsideReason(name, specifier);
      const place = reason === undefined ? undefined : placeOf(name, path, packages);
      if (reason !== undefined && place !== undefined) reasons.set(place, reason);
    }
  }
  return reasons;
}

function rootsOf(path: string, packages: ReadonlyMap<string, JsonObject>): GraphRoot[] {
  return npmGroups(packages.get(path) ?? {}).flatMap(({ name, group }) => {
    const key = placeOf(name, path, packages);
    return key === undefined ? [] : [{ key, group }];
  });
}

/** Where Node finds a package that is needed at `path`: beside it, or further up. */
function placeOf(
  name: string,
  path: string,
  packages: ReadonlyMap<string, JsonObject>,
): string | undefined {
  for (let folder = path; ; folder = parentOf(folder)) {
    const place = folder === "" ? `${installed}${name}` : `${folder}/${installed}${name}`;
    if (packages.has(place)) return place;
    if (folder === "") return undefined;
  }
}

/** The package or folder that a place is in. */
function parentOf(path: string): string {
  const at = path.lastIndexOf(installed);
  if (at > 0) return path.slice(0, at - 1);
  if (at === 0) return "";
  const slash = path.lastIndexOf("/");
  return slash === -1 ? "" : path.slice(0, slash);
}
