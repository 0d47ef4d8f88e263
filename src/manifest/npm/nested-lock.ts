import { asRecord, asText, type JsonObject } from "../../platform/json-value.ts";
import { dependenciesIn, type PackageNode } from "../dependency-graph.ts";
import { UnreadableText, type Beside, type DependencyFile } from "../dependency-file.ts";
import { memberLines, type MemberLines } from "../document/member-lines.ts";
import { readNpmSpec } from "../package-json/npm-spec.ts";
import { createFolder, visitReaders, type Folder } from "./folders.ts";
import { npmRootsBeside } from "./npm-roots.ts";

/** A package in the tree of a lock file of version 1, where it would be installed. */
interface Place {
  readonly key: string;
  readonly name: string;
  /** The package of the first level that it is in, or is. */
  readonly top: string;
  readonly entry: JsonObject;
}

/** Packages of packages of packages: npm itself nests no deeper. */
const deepest = 200;

/** Reads a package-lock.json of version 1, whose packages stand within one another. */
export function readNestedLock(lock: JsonObject, text: string, beside: Beside): DependencyFile {
  const root = foldersIn(lock);
  const lines = memberLines(text);
  const nodes = new Map<string, PackageNode>();
  visitReaders(root, (place, find) => {
    const requires = Object.keys(asRecord(place.entry["requires"])).flatMap(
      (name) => find(name) ?? [],
    );
    nodes.set(place.key, nodeOf(place, requires, lines));
  });
  const roots = npmRootsBeside(beside, (name) => root.installed.get(name) ?? "", nodes);
  return dependenciesIn({ ecosystem: "npm", nodes, roots });
}

/** The tree of packages. A key is a number: a path would repeat the names above it. */
function foldersIn(lock: JsonObject): Folder<Place> {
  const root = createFolder<Place>();
  let count = 0;
  let level: {
    readonly folder: Folder<Place>;
    readonly entry: JsonObject;
    readonly top?: string;
  }[] = [{ folder: root, entry: lock }];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) throw new UnreadableText("invalid_json: it nests too deep");
    level = level.flatMap(({ folder, entry, top }) =>
      Object.entries(asRecord(entry["dependencies"])).map(([name, value]) => {
        const place = {
          key: (count += 1).toString(),
          name,
          top: top ?? name,
          entry: asRecord(value),
        };
        const inner = createFolder<Place>();
        inner.readers.push(place);
        folder.inner.set(name, inner);
        folder.installed.set(name, place.key);
        return { folder: inner, entry: place.entry, top: place.top };
      }),
    );
  }
  return root;
}

function nodeOf(
  { name, top, entry }: Place,
  requires: readonly string[],
  lines: MemberLines,
): PackageNode {
  return {
    ...packageOf(name, asText(entry["version"])),
    line: lines("dependencies", top),
    requires,
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
