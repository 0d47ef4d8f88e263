import {
  asJsonObjectOrEmpty,
  asNonBlankString,
  type JsonObject,
} from "../../platform/json-value.ts";
import { flattenDependencyGraph, type DependencyGraphNode } from "../dependency-graph.ts";
import {
  DependencyFileSyntaxError,
  type SiblingFileReader,
  type DependencyFile,
} from "../dependency-file.ts";
import { createJsonMemberLineLookup, type JsonMemberLineLookup } from "../document/member-lines.ts";
import { toNpmArchiveDownloadSource } from "../origin.ts";
import {
  createNpmInstallTreeNode,
  walkNpmInstallTree,
  type NpmInstallTreeNode,
} from "./folders.ts";
import { parseLockedNpmIdentity } from "./locked-package.ts";
import { toNpmDependencyWithoutLockEntry } from "./missing-need.ts";
import { readAdjacentPackageJsonRoots } from "./npm-roots.ts";

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
export function parseNestedPackageLock(
  lock: JsonObject,
  text: string,
  beside: SiblingFileReader,
): DependencyFile {
  const root = foldersIn(lock);
  const lines = createJsonMemberLineLookup(text);
  const nodes = new Map<string, DependencyGraphNode>();
  walkNpmInstallTree(root, (place, find) => {
    const needs = Object.entries(asJsonObjectOrEmpty(place.entry["requires"]));
    const requires = needs.flatMap(([name]) => find(name) ?? []);
    const missing = needs.flatMap(([name, range]) =>
      find(name) === undefined
        ? [toNpmDependencyWithoutLockEntry(name, asNonBlankString(range) ?? "")]
        : [],
    );
    nodes.set(place.key, { ...nodeOf(place, requires, lines), missing });
  });
  const roots = readAdjacentPackageJsonRoots(
    beside,
    (name) => root.installed.get(name) ?? "",
    nodes,
  );
  return flattenDependencyGraph({ ecosystem: "npm", nodes, roots });
}

/** The tree of packages. A key is a number: a path would repeat the names above it. */
function foldersIn(lock: JsonObject): NpmInstallTreeNode<Place> {
  const root = createNpmInstallTreeNode<Place>();
  let count = 0;
  let level: {
    readonly folder: NpmInstallTreeNode<Place>;
    readonly entry: JsonObject;
    readonly top?: string;
  }[] = [{ folder: root, entry: lock }];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw new DependencyFileSyntaxError("invalid_json: it nests too deep");
    level = level.flatMap(({ folder, entry, top }) =>
      Object.entries(asJsonObjectOrEmpty(entry["dependencies"])).map(([name, value]) => {
        const place = {
          key: (count += 1).toString(),
          name,
          top: top ?? name,
          entry: asJsonObjectOrEmpty(value),
        };
        const inner = createNpmInstallTreeNode<Place>();
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
  lines: JsonMemberLineLookup,
): DependencyGraphNode {
  const locked = parseLockedNpmIdentity(name, asNonBlankString(entry["version"]));
  return {
    ...toNpmArchiveDownloadSource(locked.name, locked.version, asNonBlankString(entry["resolved"])),
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
