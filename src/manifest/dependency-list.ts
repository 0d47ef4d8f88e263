import type { DependencyFile, FileDependency, Relation } from "./dependency-file.ts";
import { show, type UnparsedText } from "./manifest.ts";

/** Longer texts are neither names nor versions; many packages could share one. */
const maxTextLength = 2000;
/** Longer names of groups are cut. */
const maxGroupLength = 100;
const maxPaths = 3;

/** A package with what each mention of it adds. */
interface Found {
  readonly first: FileDependency;
  readonly groups: Set<string>;
  relation: Relation;
  paths: readonly (readonly string[])[];
}

/** Collects the packages of a file in order, each name and version once, and what is unparsed. */
export class DependencyList {
  readonly #found = new Map<string, Found>();
  readonly #unparsed: UnparsedText[] = [];

  /** Adds a package, or the relation, groups and paths of another mention of it. */
  add(dependency: FileDependency): void {
    const { ecosystem, name, version, requested, line } = dependency;
    const reason = longText(dependency);
    if (reason !== undefined) {
      const text = show(`${name.slice(0, 301)} ${(requested ?? "").slice(0, 301)}`);
      this.reject({ ...(line !== undefined && { line }), text, reason });
      return;
    }
    const key = JSON.stringify([ecosystem, name, version ?? [requested]]);
    const known = this.#found.get(key);
    if (known === undefined) this.#found.set(key, foundFirst(dependency));
    else merge(known, dependency);
  }

  reject(row: UnparsedText): void {
    this.#unparsed.push(row);
  }

  file(): DependencyFile {
    const dependencies = [...this.#found.values()].map(({ first, groups, relation, paths }) => ({
      ...first,
      relation,
      groups: [...groups],
      paths,
    }));
    return { dependencies, unparsed: this.#unparsed };
  }
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

function nearer(left: Relation, right: Relation): Relation {
  if (left === "direct" || right === "direct") return "direct";
  return left === "transitive" || right === "transitive" ? "transitive" : "unknown";
}
