import {
  formatPackageLabel,
  type DependencyFile,
  type DependencyRelation,
} from "./dependency-file.ts";
import { DependencyCollector } from "./dependency-list.ts";
import type { PackageEcosystem } from "../platform/ecosystem.ts";
import {
  toExcerptWithDigest,
  type UnparsableManifestText,
  type VersionConstraintKind,
} from "./manifest.ts";

/** A package of a lock file, under a key that is unique in it. */
export interface DependencyGraphNode {
  readonly name: string;
  /** Where it is not that of the whole file. */
  readonly ecosystem?: PackageEcosystem;
  readonly version?: string;
  /** Requirement in place of a version; `constraint` as in `FileDependency`. */
  readonly requested?: string | null;
  readonly constraint?: VersionConstraintKind;
  readonly line?: number | undefined;
  /** Keys or references of what it needs; `missing` has those that the file does not have. */
  readonly requires: readonly string[];
  readonly missing?: readonly DependencyWithoutLockEntry[];
  /** Where the file itself says it; else the groups of whoever leads to it. */
  readonly groups?: readonly string[];
  /** Why it is no package of the registry (`git`). */
  readonly reason?: string | undefined;
  /** Address of its repository, see `Origin`. */
  readonly address?: string | undefined;
  /** Hosts other than the public registry that it comes from, see `Origin`. */
  readonly hosts?: readonly string[];
  /** Set where it is asked about in spite of the reason. */
  readonly isAsked?: boolean;
}

/**
 * What a package needs and the file has no entry for, or why that is no package of the registry.
 * An installer gets it from there all the same, or refuses the file.
 */
export type DependencyWithoutLockEntry = { readonly name: string } & (
  | {
      readonly requested: string | null;
      readonly version?: string;
      readonly constraint?: VersionConstraintKind;
    }
  | { readonly text: string; readonly reason: string }
);

/** What the project itself asks for, by its key or by a reference. */
export interface DependencyGraphRoot {
  readonly key: string;
  readonly group: string;
}

export interface DependencyGraph {
  readonly ecosystem: PackageEcosystem;
  readonly nodes: ReadonlyMap<string, DependencyGraphNode>;
  /**
   * Keys by reference, in a format where a name may mean several versions. They are
   * not spread over `requires`: a thousand packages that need a name with a
   * thousand versions would be a million entries.
   */
  readonly references?: References;
  /** Undefined: the file does not tell. Whatever nobody needs is one then. */
  readonly roots: readonly DependencyGraphRoot[] | undefined;
}

type References = ReadonlyMap<string, readonly string[]>;

/** Where a package was met on the way from the project. */
interface Place {
  /** Keys of those that lead to it, the nearest first; empty for a root. */
  readonly parents: string[];
  readonly isRoot: boolean;
}

const maxPaths = 3;
/** Longer ways are shown by their first and last packages. */
const maxPathLength = 20;
/** Further ones keep their packages and lose their name. */
const maxGroups = 64;

/** The packages of a lock file, the direct ones first, each name and version once. */
export function flattenDependencyGraph(graph: DependencyGraph): DependencyFile {
  const roots = graph.roots ?? topOf(graph);
  const tells = reportedBy(graph);
  const places = placesIn(graph, roots);
  const groups = groupsIn(graph, roots);
  const list = new DependencyCollector();
  for (const [key, node] of inOrder(graph.nodes, places)) {
    if (node.reason !== undefined) list.reject(unparsedNode(node, node.reason));
    if (node.reason === undefined || node.isAsked === true) {
      const place = places.get(key);
      const dependency = {
        ecosystem: node.ecosystem ?? graph.ecosystem,
        name: node.name,
        requested: node.version ?? node.requested ?? null,
        ...(node.version !== undefined && { version: node.version }),
        ...(node.constraint !== undefined && { constraint: node.constraint }),
        relation: relationOf(place, tells),
        groups: node.groups ?? (tells === "nothing" ? [] : (groups.get(key) ?? [])),
        paths: tells === "nothing" ? [] : pathsTo(key, graph.nodes, places),
        ...(node.line !== undefined && { line: node.line }),
      };
      list.add(dependency);
      list.countHosts(node.hosts, node.line);
    }
    if (node.missing === undefined || node.missing.length === 0) continue;
    const way = places.has(key) ? shortestPath(key, graph.nodes, places) : undefined;
    const nodeGroups = node.groups ?? groups.get(key) ?? [];
    for (const need of node.missing) addMissing(list, graph, { node, need, way, nodeGroups });
  }
  return list.file();
}

/** A missing need, and the package that has it with the way to that package. */
interface MissingPlace {
  readonly node: DependencyGraphNode;
  readonly need: DependencyWithoutLockEntry;
  readonly way: readonly string[] | undefined;
  readonly nodeGroups: readonly string[];
}

function addMissing(
  list: DependencyCollector,
  graph: DependencyGraph,
  { node, need, way, nodeGroups }: MissingPlace,
): void {
  const line = node.line === undefined ? {} : { line: node.line };
  if ("reason" in need) {
    list.reject({
      ...line,
      ...toExcerptWithDigest(need.text),
      reason: need.reason,
      name: need.name,
    });
    return;
  }
  const { name, requested, version, constraint } = need;
  list.add({
    ecosystem: node.ecosystem ?? graph.ecosystem,
    name,
    requested,
    ...(version !== undefined && { version }),
    ...(constraint !== undefined && { constraint }),
    relation: "transitive",
    groups: nodeGroups,
    paths: way === undefined ? [] : [[...way, formatPackageLabel(name, requested ?? undefined)]],
    ...line,
  });
}

function topOf({ nodes, references }: DependencyGraph): DependencyGraphRoot[] {
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
  roots: readonly DependencyGraphRoot[],
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
  if (parents.length === maxPaths || parents.at(-1) === parent) return false;
  parents.push(parent);
  return true;
}

function groupsIn(
  graph: DependencyGraph,
  roots: readonly DependencyGraphRoot[],
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  const names = [...new Set(roots.map(({ group }) => group))].slice(0, maxGroups);
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
  nodes: ReadonlyMap<string, DependencyGraphNode>,
  places: ReadonlyMap<string, Place>,
): (readonly [string, DependencyGraphNode])[] {
  const keys = new Set([...places.keys(), ...nodes.keys()]);
  return [...keys].flatMap((key) => {
    const node = nodes.get(key);
    return node === undefined ? [] : [[key, node] as const];
  });
}

/** What a file and its manifest tell: everything, what is direct, who needs whom, or nothing. */
type Told = "all" | "direct" | "needs" | "nothing";

function reportedBy({ nodes, roots }: DependencyGraph): Told {
  const tellsNeeds = [...nodes.values()].some(({ requires }) => requires.length > 0);
  if (roots === undefined) return tellsNeeds ? "needs" : "nothing";
  return tellsNeeds ? "all" : "direct";
}

/** What nobody else needs must be asked for by the project itself; of the rest it may be as well. */
function relationOf(place: Place | undefined, told: Told): DependencyRelation {
  if (told === "nothing") return "unknown";
  if (place?.isRoot === true) return "direct";
  if (told === "direct") return "transitive";
  return told === "all" && place !== undefined ? "transitive" : "unknown";
}

function pathsTo(
  key: string,
  nodes: ReadonlyMap<string, DependencyGraphNode>,
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
  nodes: ReadonlyMap<string, DependencyGraphNode>,
  places: ReadonlyMap<string, Place>,
): string[] {
  const path: string[] = [];
  for (let next: string | undefined = key; next !== undefined;) {
    if (path.length === maxPathLength) return ["…", ...path.toReversed()];
    path.push(labelOf(next, nodes));
    next = places.get(next)?.parents[0];
  }
  return path.toReversed();
}

function labelOf(key: string, nodes: ReadonlyMap<string, DependencyGraphNode>): string {
  const node = nodes.get(key);
  return formatPackageLabel(node?.name ?? key, node?.version);
}

function unparsedNode(
  { name, version, line, address }: DependencyGraphNode,
  reason: string,
): UnparsableManifestText {
  const text = version === undefined ? name : `${name}@${version}`;
  return {
    ...(line !== undefined && { line }),
    ...toExcerptWithDigest(address === undefined ? text : `${text} ${address}`),
    reason,
    name,
    ...(address !== undefined && { address }),
  };
}
