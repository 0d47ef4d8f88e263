import { asRecord, asText, type JsonObject } from "../../platform/json-value.ts";
import { dependenciesIn, type PackageNode } from "../dependency-graph.ts";
import { UnreadableText, type Beside, type DependencyFile } from "../dependency-file.ts";
import { memberLines, type MemberLines } from "../document/member-lines.ts";
import { readNpmSpec } from "../package-json/npm-spec.ts";
import { npmRootsBeside } from "./npm-roots.ts";

/** A package in the tree of a lock file of version 1, where it would be installed. */
interface Place {
  readonly path: readonly string[];
  readonly entry: JsonObject;
}

/** Packages of packages of packages: npm itself nests no deeper. */
const deepest = 200;

/** Reads a package-lock.json of version 1, whose packages stand within one another. */
export function readNestedLock(lock: JsonObject, text: string, beside: Beside): DependencyFile {
  const places = placesIn(lock);
  const lines = memberLines(text);
  const nodes = new Map(
    [...places].map(([key, place]) => [key, nodeOf(place, places, lines)] as const),
  );
  const roots = npmRootsBeside(beside, (name) => keyOf([name]), nodes);
  return dependenciesIn({ ecosystem: "npm", nodes, roots });
}

function placesIn(lock: JsonObject): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const open: Place[] = [{ path: [], entry: lock }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.path.length > deepest) throw new UnreadableText("invalid_json: it nests too deep");
    if (next.path.length > 0) places.set(keyOf(next.path), next);
    const inner = Object.entries(asRecord(next.entry["dependencies"])).toReversed();
    for (const [name, entry] of inner) {
      open.push({ path: [...next.path, name], entry: asRecord(entry) });
    }
  }
  return places;
}

function nodeOf(
  { path, entry }: Place,
  places: ReadonlyMap<string, Place>,
  lines: MemberLines,
): PackageNode {
  const needed = Object.keys(asRecord(entry["requires"]));
  return {
    ...packageOf(path.at(-1) ?? "", asText(entry["version"])),
    line: lines("dependencies", path[0] ?? ""),
    requires: needed.flatMap((name) => findPlace(name, path, places) ?? []),
    ...flagGroups(entry),
  };
}

/** The version may be an alias or an address. */
function packageOf(
  name: string,
  version: string | undefined,
): { readonly name: string; readonly version?: string; readonly reason?: string } {
  if (version === undefined) return { name };
  const read = readNpmSpec(name, version);
  if ("reason" in read) return { name, version, reason: read.reason };
  return { name: read.name, version: read.version ?? version };
}

function flagGroups({ dev, optional }: JsonObject): { readonly groups?: readonly string[] } {
  if (dev === true) return { groups: ["development"] };
  return optional === true ? { groups: ["optional"] } : {};
}

function findPlace(
  name: string,
  path: readonly string[],
  places: ReadonlyMap<string, Place>,
): string | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const key = keyOf([...path.slice(0, length), name]);
    if (places.has(key)) return key;
  }
  return undefined;
}

function keyOf(path: readonly string[]): string {
  return JSON.stringify(path);
}
