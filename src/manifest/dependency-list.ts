import type { DependencyFile, FileDependency, DependencyRelation } from "./dependency-file.ts";
import {
  toExcerptWithDigest,
  toVersionRequestKey,
  type UnparsableManifestText,
} from "./manifest.ts";

/** Longer texts are neither names nor versions; many packages could share one. */
const maxTextLength = 2000;
/** Longer names of groups are cut. */
const maxGroupLength = 100;
const maxPaths = 3;

/** A package with what each mention of it adds. */
interface Found {
  readonly first: FileDependency;
  readonly groups: Set<string>;
  relation: DependencyRelation;
  paths: readonly (readonly string[])[];
}

/** Packages that come from a host, or from any of a list, and the line of the first of them. */
interface HostCount {
  packages: number;
  readonly line: number | undefined;
}

/** Collects the packages of a file in order, each name and version once, and what is unparsed. */
export class DependencyCollector {
  readonly #found = new Map<string, Found>();
  readonly #unparsed: UnparsableManifestText[] = [];
  /** Lists of hosts of other registries. All packages of a file may share a list, which is gone through once. */
  readonly #hosts = new Map<readonly string[], HostCount>();

  /** Adds a package, or the relation, groups and paths of another mention of it. */
  add(dependency: FileDependency): void {
    const { ecosystem, name, requested, line } = dependency;
    const reason = longText(dependency);
    if (reason !== undefined) {
      const part = toExcerptWithDigest(`${name} ${requested ?? ""}`);
      this.reject({ ...(line !== undefined && { line }), ...part, reason });
      return;
    }
    const key = JSON.stringify([ecosystem, name, toVersionRequestKey(dependency)]);
    const known = this.#found.get(key);
    if (known === undefined) this.#found.set(key, foundFirst(dependency));
    else merge(known, dependency);
  }

  reject(row: UnparsableManifestText): void {
    this.#unparsed.push(row);
  }

  /** Counts packages that come from hosts other than the public registry. */
  countHosts(hosts: readonly string[] | undefined, line: number | undefined, packages = 1): void {
    if (hosts !== undefined) addCount(this.#hosts, hosts, { packages, line });
  }

  file(): DependencyFile {
    const dependencies = [...this.#found.values()].map(({ first, groups, relation, paths }) => ({
      ...first,
      relation,
      groups: [...groups],
      paths,
    }));
    return { dependencies, unparsed: [...this.#unparsed, ...this.#hostRows()] };
  }

  /** The count is in the reason: the text stays the same when packages are added. */
  #hostRows(): UnparsableManifestText[] {
    const single = new Map<string, HostCount>();
    for (const [hosts, count] of this.#hosts) {
      for (const host of hosts) addCount(single, host, count);
    }
    return [...single].map(([host, { packages, line }]) => ({
      ...(line !== undefined && { line }),
      text: host,
      reason: `registry: ${packages === 0 ? "" : `${packages.toString()} of `}its packages may come from this host`,
    }));
  }
}

function addCount<Key>(counts: Map<Key, HostCount>, key: Key, { packages, line }: HostCount): void {
  const known = counts.get(key);
  if (known === undefined) counts.set(key, { packages, line });
  else known.packages += packages;
}

function longText({ name, version, requested }: FileDependency): string | undefined {
  if (name.length > maxTextLength) return "invalid_name: it is too long";
  const length = Math.max(version?.length ?? 0, requested?.length ?? 0);
  return length > maxTextLength ? "invalid_specifier: it is too long" : undefined;
}

function foundFirst(first: FileDependency): Found {
  const { relation, paths } = first;
  return { first, groups: new Set(first.groups.map(shortGroup)), relation, paths };
}

function merge(known: Found, { relation, groups, paths }: FileDependency): void {
  known.relation = nearer(known.relation, relation);
  for (const group of groups) known.groups.add(shortGroup(group));
  known.paths = [...known.paths, ...paths]
    .toSorted((left, right) => left.length - right.length)
    .slice(0, maxPaths);
}

function shortGroup(group: string): string {
  return group.length <= maxGroupLength ? group : `${group.slice(0, maxGroupLength)}…`;
}

function nearer(left: DependencyRelation, right: DependencyRelation): DependencyRelation {
  if (left === "direct" || right === "direct") return "direct";
  return left === "transitive" || right === "transitive" ? "transitive" : "unknown";
}
