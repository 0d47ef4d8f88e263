import {
  label,
  type DependencyFile,
  type FileDependency,
  type Relation,
} from "./dependency-file.ts";
import type { Ecosystem } from "../platform/ecosystem.ts";
import { show, type UnparsedText } from "./manifest.ts";

/** A package of a lock file, under a key that is unique in it. */
export interface PackageNode {
  readonly name: string;
  /** Where it is not that of the whole file. */
  readonly ecosystem?: Ecosystem;
  readonly version?: string;
  readonly line?: number | undefined;
  /** Keys of what it needs; those that the file does not have are passed over. */
  readonly requires: readonly string[];
  /** Where the file itself says it; else the groups of whoever leads to it. */
  readonly groups?: readonly string[];
  /** Why it is no package of the registry (`git`). */
  readonly reason?: string | undefined;
}

/** What the project itself asks for. */
export interface GraphRoot {
  readonly key: string;
  readonly group: string;
}

export interface DependencyGraph {
  readonly ecosystem: Ecosystem;
  readonly nodes: ReadonlyMap<string, PackageNode>;
  /** Undefined: the file does not tell. Whatever nobody needs is one then. */
  readonly roots: readonly GraphRoot[] | undefined;
}

/** Where a package was met on the way from the project. */
interface Place {
  /** Keys of those that lead to it, the nearest first; empty for a root. */
  readonly parents: string[];
  readonly isRoot: boolean;
}

const mostPaths = 3;
/** Longer ways are shown by their first and last packages. */
const longestPath = 20;
/** Further ones keep their packages and lose their name. */
const mostGroups = 64;

/** The packages of a lock file, the direct ones first, each name and version once. */
export function dependenciesIn(graph: DependencyGraph): DependencyFile {
  const roots = graph.roots ?? topOf(graph.nodes);
  const tells = toldBy(graph);
  const places = placesIn(graph.nodes, roots);
  const groups = groupsIn(graph.nodes, roots);
  const found = new Map<string, FileDependency>();
  const unparsed: UnparsedText[] = [];
  for (const [key, node] of inOrder(graph.nodes, places)) {
    if (node.reason !== undefined) unparsed.push(unparsedNode(node, node.reason));
    else {
      const place = places.get(key);
      const dependency = {
        ecosystem: node.ecosystem ?? graph.ecosystem,
        name: node.name,
        requested: node.version ?? null,
        ...(node.version !== undefined && { version: node.version }),
        relation: relationOf(place, tells),
        groups: node.groups ?? (tells === "nothing" ? [] : (groups.get(key) ?? [])),
        paths: tells === "nothing" ? [] : pathsTo(key, graph.nodes, places),
        ...(node.line !== undefined && { line: node.line }),
      };
      addTo(found, dependency);
    }
  }
  return { dependencies: [...found.values()], unparsed };
}

/** Adds a package, or what is new of one that is there. */
export function addTo(found: Map<string, FileDependency>, added: FileDependency): void {
  const key = JSON.stringify([added.ecosystem, added.name, added.version ?? [added.requested]]);
  const known = found.get(key);
  found.set(key, known === undefined ? added : merge(known, added));
}

function merge(known: FileDependency, added: FileDependency): FileDependency {
  return {
    ...known,
    relation: nearer(known.relation, added.relation),
    groups: [...new Set([...known.groups, ...added.groups])],
    paths: [...known.paths, ...added.paths]
      .toSorted((left, right) => left.length - right.length)
      .slice(0, mostPaths),
  };
}

function nearer(left: Relation, right: Relation): Relation {
  if (left === "direct" || right === "direct") return "direct";
  return left === "transitive" || right === "transitive" ? "transitive" : "unknown";
}

function topOf(nodes: ReadonlyMap<string, PackageNode>): GraphRoot[] {
  const needed = new Set([...nodes.values()].flatMap(({ requires }) => requires));
  const top = [...nodes].filter(([key]) => !needed.has(key));
  return top.flatMap(([key, { groups }]) =>
    (groups ?? []).length === 0
      ? [{ key, group: "production" }]
      : (groups ?? []).map((group) => ({ key, group })),
  );
}

/** Breadth first, so that the first to lead to a package is on a shortest way. */
function placesIn(
  nodes: ReadonlyMap<string, PackageNode>,
  roots: readonly GraphRoot[],
): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const { key } of roots) {
    if (nodes.has(key)) places.set(key, { parents: [], isRoot: true });
  }
  // A map is walked in the order of insertion, what is added on the way included.
  for (const key of places.keys()) {
    for (const next of nodes.get(key)?.requires ?? []) {
      const place = places.get(next);
      if (place === undefined) {
        if (nodes.has(next)) places.set(next, { parents: [key], isRoot: false });
      } else if (
        !place.isRoot &&
        place.parents.length < mostPaths &&
        place.parents.at(-1) !== key
      ) {
        place.parents.push(key);
      }
    }
  }
  return places;
}

function groupsIn(
  nodes: ReadonlyMap<string, PackageNode>,
  roots: readonly GraphRoot[],
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  const names = [...new Set(roots.map(({ group }) => group))].slice(0, mostGroups);
  for (const name of names) {
    const own = roots.filter(({ group }) => group === name);
    for (const key of placesIn(nodes, own).keys()) {
      groups.set(key, [...(groups.get(key) ?? []), name]);
    }
  }
  return groups;
}

/** Those that were met in the order of the way, then the rest. */
function inOrder(
  nodes: ReadonlyMap<string, PackageNode>,
  places: ReadonlyMap<string, Place>,
): (readonly [string, PackageNode])[] {
  const keys = new Set([...places.keys(), ...nodes.keys()]);
  return [...keys].flatMap((key) => {
    const node = nodes.get(key);
    return node === undefined ? [] : [[key, node] as const];
  });
}

/** What a file and its manifest tell: everything, what is direct, who needs whom, or nothing. */
type Told = "all" | "direct" | "needs" | "nothing";

function toldBy({ nodes, roots }: DependencyGraph): Told {
  const tellsNeeds = [...nodes.values()].some(({ requires }) => requires.length > 0);
  if (roots === undefined) return tellsNeeds ? "needs" : "nothing";
  return tellsNeeds ? "all" : "direct";
}

/** What nobody else needs must be asked for by the project itself; of the rest it may be as well. */
function relationOf(place: Place | undefined, told: Told): Relation {
  if (told === "nothing") return "unknown";
  if (place?.isRoot === true) return "direct";
  if (told === "direct") return "transitive";
  return told === "all" && place !== undefined ? "transitive" : "unknown";
}

function pathsTo(
  key: string,
  nodes: ReadonlyMap<string, PackageNode>,
  places: ReadonlyMap<string, Place>,
): string[][] {
  const place = places.get(key);
  if (place === undefined) return [];
  const own = labelOf(key, nodes);
  if (place.isRoot) return [[own]];
  return place.parents.map((parent) => [...shortestPath(parent, nodes, places), own]);
}

function shortestPath(
  key: string,
  nodes: ReadonlyMap<string, PackageNode>,
  places: ReadonlyMap<string, Place>,
): string[] {
  const path: string[] = [];
  for (let next: string | undefined = key; next !== undefined;) {
    if (path.length === longestPath) return ["…", ...path.toReversed()];
    path.push(labelOf(next, nodes));
    next = places.get(next)?.parents[0];
  }
  return path.toReversed();
}

function labelOf(key: string, nodes: ReadonlyMap<string, PackageNode>): string {
  const node = nodes.get(key);
  return label(node?.name ?? key, node?.version);
}

function unparsedNode({ name, version, line }: PackageNode, reason: string): UnparsedText {
  return {
    ...(line !== undefined && { line }),
    text: show(label(name, version)),
    reason,
  };
}
