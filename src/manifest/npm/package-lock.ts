import { asRecord, asText, type JsonObject } from "../../platform/json-value.ts";
import { dependenciesIn, type GraphRoot, type PackageNode } from "../dependency-graph.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { jsonObject } from "../document/json-document.ts";
import { memberLines, type MemberLines } from "../document/member-lines.ts";
import { createFolder, folderAt, visitReaders } from "./folders.ts";
import { npmGroups, type NpmEntry } from "./npm-groups.ts";
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
  const needs = needsIn(packages);
  const outside = outsideReasons(needs);
  const lines = memberLines(text);
  const nodes = new Map<string, PackageNode>();
  for (const [path, entry] of packages) {
    if (isPackage(path, entry))
      nodes.set(path, nodeOf(path, entry, needs.get(path) ?? [], lines, outside.get(path)));
  }
  const members = [...packages.keys()].filter((path) => !isInstalled(path));
  const roots = members.flatMap((path) => rootsOf(needs.get(path) ?? []));
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
  needs: readonly Need[],
  lines: MemberLines,
  outside: string | undefined,
): PackageNode {
  const name = asText(entry["name"]) ?? path.slice(path.lastIndexOf(installed) + installed.length);
  const version = asText(entry["version"]);
  const resolved = asText(entry["resolved"]) ?? "";
  return {
    name,
    ...(version !== undefined && { version }),
    line: lines("packages", path),
    requires: needs.flatMap(({ group, place }) =>
      place === undefined || group === "development" ? [] : [place],
    ),
    reason: /^git\b/.test(resolved) ? "git" : /^file:|^\.\./.test(resolved) ? "local" : outside,
  };
}

/** A dependency of a package or a part of the project, and the path where Node finds it. */
interface Need extends NpmEntry {
  readonly place: string | undefined;
}

/** What is needed at each path. */
function needsIn(packages: ReadonlyMap<string, JsonObject>): ReadonlyMap<string, readonly Need[]> {
  const root = createFolder<string>();
  for (const path of packages.keys()) {
    const way = path === "" ? [] : path.split("/");
    folderAt(root, way).readers.push(path);
    const at = way.lastIndexOf("node_modules");
    if (at !== -1)
      folderAt(root, way.slice(0, at)).installed.set(way.slice(at + 1).join("/"), path);
  }
  const needs = new Map<string, readonly Need[]>();
  visitReaders(root, (path, find) => {
    const entries = npmGroups(packages.get(path) ?? {});
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
    const reason = place === undefined ? undefined : outsideReason(name, specifier);
    if (reason !== undefined && place !== undefined) reasons.set(place, reason);
  }
  return reasons;
}

function rootsOf(needs: readonly Need[]): GraphRoot[] {
  return needs.flatMap(({ place, group }) => (place === undefined ? [] : [{ key: place, group }]));
}
