import { asRecord, asText, type JsonObject } from "../../platform/json-value.ts";
import { listDependencies, type PackageNode } from "../dependency-graph.ts";
import { UnreadableTextError, type ReadSibling, type DependencyFile } from "../dependency-file.ts";
import { findMemberLines, type MemberLines } from "../document/member-lines.ts";
import { npmArchiveOrigin } from "../origin.ts";
import { createFolder, visitReaders, type Folder } from "./folders.ts";
import { lockedPackage } from "./locked-package.ts";
import { missingNeed } from "./missing-need.ts";
import { readSiblingNpmRoots } from "./npm-roots.ts";

/** A package in the tree of a lock file of version 1, where it would be installed. */
interface Place {
  readonly key: string;
  readonly name: string;
  /** The package of the first level that it is in, or is. */
  readonly top: string;
  readonly entry: JsonObject;
}

/** Packages of packages of packages: npm itself nests no deeper. */
const maxDepth = 200;

/** Reads a package-lock.json of version 1, whose packages stand within one another. */
export function readNestedLock(
  lock: JsonObject,
  text: string,
  beside: ReadSibling,
): DependencyFile {
  const root = foldersIn(lock);
  const lines = findMemberLines(text);
  const nodes = new Map<string, PackageNode>();
  visitReaders(root, (place, find) => {
    const needs = Object.entries(asRecord(place.entry["requires"]));
    const requires = needs.flatMap(([name]) => find(name) ?? []);
    const missing = needs.flatMap(([name, range]) =>
      find(name) === undefined ? [missingNeed(name, asText(range) ?? "")] : [],
    );
    nodes.set(place.key, { ...nodeOf(place, requires, lines), missing });
  });
  const roots = readSiblingNpmRoots(beside, (name) => root.installed.get(name) ?? "", nodes);
  return listDependencies({ ecosystem: "npm", nodes, roots });
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
    if (depth > maxDepth) throw new UnreadableTextError("invalid_json: it nests too deep");
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
  const locked = lockedPackage(name, asText(entry["version"]));
  return {
    ...npmArchiveOrigin(locked.name, locked.version, asText(entry["resolved"])),
    ...locked,
    line: lines("dependencies", top),
    requires,
    ...flagGroups(entry),
  };
}

function flagGroups({ dev, optional }: JsonObject): { readonly groups?: readonly string[] } {
  if (dev === true) return { groups: ["development"] };
  return optional === true ? { groups: ["optional"] } : {};
}
