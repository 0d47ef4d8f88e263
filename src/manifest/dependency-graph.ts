import { label, type DependencyFile, type Relation } from "./dependency-file.ts";
import { DependencyList } from "./dependency-list.ts";
import type { Ecosystem } from "../platform/ecosystem.ts";
import { show, type UnparsedText } from "./manifest.ts";

/** A package of a lock file, under a key that is unique in it. */
export interface PackageNode {
  readonly name: string;
  /** Where it is not that of the whole file. */
  readonly ecosystem?: Ecosystem;
  readonly version?: string;
  readonly line?: number | undefined;
  /** Keys or references of what it needs; those that the file does not have are passed over. */
  readonly requires: readonly string[];
  /** Where the file itself says it; else the groups of whoever leads to it. */
  readonly groups?: readonly string[];
  /** Why it is no package of the registry (`git`). */
  readonly reason?: string | undefined;
}

/** What the project itself asks for, by its key or by a reference. */
export interface GraphRoot {
  readonly key: string;
  readonly group: string;
}

export interface DependencyGraph {
  readonly ecosystem: Ecosystem;
  readonly nodes: ReadonlyMap<string, PackageNode>;
  /**
   * Keys by reference, in a format where a name may mean several versions. They are
   * not spread over `requires`: a thousand packages that need a name with a
   * thousand versions would be a million entries.
   */
  readonly references?: References;
  /** Undefined: the file does not tell. Whatever nobody needs is one then. */
  readonly roots: readonly GraphRoot[] | undefined;
}

type References = ReadonlyMap<string, readonly string[]>;

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
  const roots = graph.roots ?? topOf(graph);
  const tells = toldBy(graph);
  const places = placesIn(graph, roots);
  const groups = groupsIn(graph, roots);
  const list = new DependencyList();
  for (const [key, node] of inOrder(graph.nodes, places)) {
    if (node.reason !== undefined) list.reject(unparsedNode(node, node.reason));
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
      list.add(dependency);
    }
  }
  return list.file();
}

function topOf({ nodes, references }: DependencyGraph): GraphRoot[] {
  const required = new Set([...nodes.values()].flatMap(({ requires }) => requires));
  const needed = new Set([...required].flatMap((each) => references?.get(each) ?? each));
  const top = [...nodes].filter(([key]) => !needed.has(key));
  return top.flatMap(([key, { groups }]) =>
    (groups ?? []).length === 0
      ? [{ key, group: "production" }]
      : (groups ?? []).map((group) => ({ key, group })),
  );
}

/** Breadth first, so that the first to lead to a package is on a shortest way. */
function placesIn(
  { nodes, references }: DependencyGraph,
  roots: readonly GraphRoot[],
): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const reference of new Set(roots.map(({ key }) => key))) {
    for (const key of references?.get(reference) ?? [reference]) {
      if (nodes.has(key)) places.set(key, { parents: [], isRoot: true });
    }
  }
  const followed = new Map<string, string[]>();
  // A map is walked in the order of insertion, what is added on the way included.
  for (const key of places.keys()) {
    for (const reference of nodes.get(key)?.requires ?? []) {
      const keys = references?.get(reference);
      if (keys === undefined) addParent(reference, key);
      else if (noteParent(followed, reference, key)) for (const each of keys) addParent(each, key);
    }
  }
  return places;

  function addParent(key: string, parent: string): void {
    const place = places.get(key);
    if (place !== undefined) {
      if (!place.isRoot) appendParent(place.parents, parent);
    } else if (nodes.has(key)) places.set(key, { parents: [parent], isRoot: false });
  }
}

/** False once a reference has been followed from so many packages that another one changes nothing. */
function noteParent(followed: Map<string, string[]>, reference: string, parent: string): boolean {
  const parents = followed.get(reference) ?? [];
  followed.set(reference, parents);
  return appendParent(parents, parent);
}

function appendParent(parents: string[], parent: string): boolean {
  if (parents.length === mostPaths || parents.at(-1) === parent) return false;
  parents.push(parent);
  return true;
}

function groupsIn(
  graph: DependencyGraph,
  roots: readonly GraphRoot[],
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  const names = [...new Set(roots.map(({ group }) => group))].slice(0, mostGroups);
  for (const name of names) {
    const own = roots.filter(({ group }) => group === name);
    for (const key of placesIn(graph, own).keys()) {
      const known = groups.get(key);
      if (known === undefined) groups.set(key, [name]);
      else known.push(name);
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
