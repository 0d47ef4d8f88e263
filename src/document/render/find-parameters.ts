import { countLearnedTrafficEntries } from "../state/count-entries.ts";
import { parsePathParameterKind } from "../har/path-segment.ts";
import type { LearnedPathNode } from "../state/path-node.ts";
import { areResponsePropertiesSimilar, listResponsePropertyNames } from "./response-features.ts";
import type { PathTemplateNode } from "./template-node.ts";

/** More different values than this at one place are values of a parameter. */
const maxConstants = 8;

/** A constant is seen so many times as often as the middle one of its siblings. */
const constantFrequencyRatio = 8;
/** And at least so often. */
const minConstantCount = 16;

/** One operation below a value. */
interface Trait {
  readonly value: string;
  readonly features: ReadonlySet<string>;
}

/**
 * The values that are no constants: more than eight of them have an operation with
 * the same continuation and method, and like answers. Each kind of what looks like a
 * value, integers for instance, counts as one of them. A value that was seen far more
 * often than its siblings is a constant all the same. `ahead` generalises
 * what follows, so that parameters in the continuation do not make a difference;
 * it is asked only if there are enough values.
 */
export function inferPathParameters(
  children: ReadonlyMap<string, LearnedPathNode>,
  ahead: () => PathTemplateNode | undefined,
): ReadonlySet<string> {
  const alike = new Set<string>();
  if (!isFromMany([...children.keys()])) return alike;
  const template = ahead();
  const traits = new Map<string, Trait[]>();
  for (const [value, node] of children) collectTraits(traits, value, node, template, "");
  for (const group of traits.values()) {
    for (const cluster of clustersOf(group)) {
      if (isFromMany(cluster)) for (const value of cluster) alike.add(value);
    }
  }
  return withoutOutstanding(alike, children);
}

/** Whether they are so many, and most of them words, that none of them is a constant. */
function isFromMany(values: readonly string[]): boolean {
  const words = values.filter((value) => parsePathParameterKind(value) === undefined);
  return values.length > maxConstants && 2 * words.length >= values.length;
}

/** By continuation and method. */
function collectTraits(
  traits: Map<string, Trait[]>,
  value: string,
  node: LearnedPathNode,
  template: PathTemplateNode | undefined,
  path: string,
): void {
  for (const [method, operation] of node.operations) {
    const key = `${method} ${path}`;
    const trait = { value, features: listResponsePropertyNames(operation.exchange) };
    const others = traits.get(key);
    if (others === undefined) traits.set(key, [trait]);
    else others.push(trait);
  }
  for (const [name, child] of node.children) {
    const next = template?.constants.get(name);
    const isValue =
      parsePathParameterKind(name) !== undefined || (template !== undefined && next === undefined);
    const followed = next ?? template?.parameter?.node;
    collectTraits(traits, value, child, followed, `${path}/${isValue ? "{}" : name}`);
  }
}

/**
 * Each with the first one that it is like, the richest first: an order that is the
 * same for equal sets. Those that were only refused go with most of the others.
 */
function clustersOf(group: readonly Trait[]): string[][] {
  if (group.length <= maxConstants) return [];
  const answered = group.filter(({ features }) => features.size > 0).toSorted(richestFirst);
  const clusters: Cluster[] = [];
  for (const trait of answered) {
    const found = clusters.find(({ first }) =>
      areResponsePropertiesSimilar(first.features, trait.features),
    );
    if (found === undefined) clusters.push({ first: trait, values: [trait.value] });
    else found.values.push(trait.value);
  }
  const refused = group.filter(({ features }) => features.size === 0).map(({ value }) => value);
  const [largest, ...others] = clusters
    .map(({ values }) => values)
    .toSorted((left, right) => right.length - left.length);
  return [[...(largest ?? []), ...refused], ...others];
}

interface Cluster {
  readonly first: Trait;
  readonly values: string[];
}

function richestFirst(left: Trait, right: Trait): number {
  return right.features.size - left.features.size || (left.value < right.value ? -1 : 1);
}

/**
 * The constants beside a parameter that were only ever refused, and only with methods
 * and continuations that the parameter has: they are values of it that there were not.
 */
export function findErrorOnlyPathSegments(
  constants: ReadonlyMap<string, LearnedPathNode>,
  parameter: LearnedPathNode,
): ReadonlySet<string> {
  const known = new Set(traitsOf("", parameter).keys());
  const refused = [...constants].filter(([name, node]) => {
    const traits = [...traitsOf(name, node)];
    return traits.every(
      ([key, group]) => known.has(key) && group.every(({ features }) => features.size === 0),
    );
  });
  return new Set(refused.map(([name]) => name));
}

function traitsOf(value: string, node: LearnedPathNode): Map<string, Trait[]> {
  const traits = new Map<string, Trait[]>();
  collectTraits(traits, value, node, undefined, "");
  return traits;
}

function withoutOutstanding(
  alike: ReadonlySet<string>,
  children: ReadonlyMap<string, LearnedPathNode>,
): ReadonlySet<string> {
  const counts = new Map(
    [...alike].map((value) => [
      value,
      countLearnedTrafficEntries(children.get(value) ?? emptyChild),
    ]),
  );
  const middle =
    [...counts.values()].toSorted((left, right) => left - right)[counts.size >> 1] ?? 0;
  const threshold = Math.max(minConstantCount, constantFrequencyRatio * middle);
  return new Set([...alike].filter((value) => (counts.get(value) ?? 0) < threshold));
}

const emptyChild: LearnedPathNode = { children: new Map(), operations: new Map() };
