import { mergeInferredShapes } from "../shape/join-shapes.ts";
import { limitInferredShapeProperties } from "../shape/prune-shape.ts";
import { unionHashSets, shortHash } from "../shape/short-hashes.ts";
import type { InferredShape } from "../shape/shape.ts";
import type { LearnedOperation, LearnedPathNode } from "./path-node.ts";

/** Different segments at one place; of more, those with the smallest hashes. */
const maxChildren = 1024;

/** Properties, parameters, statuses and media types of one operation. */
const maxPlaces = 4096;

/** The least tree that holds both. Commutative, associative and idempotent. */
export function mergeLearnedPathTrees(
  left: LearnedPathNode,
  right: LearnedPathNode,
): LearnedPathNode {
  if (left === right) return left;
  const omitted = left.omitted ?? new Set<string>();
  return dropExcessPathChildren({
    children: joinMaps(left.children, right.children, mergeLearnedPathTrees),
    operations: joinMaps(left.operations, right.operations, mergeLearnedOperations),
    omitted: unionHashSets(omitted, right.omitted ?? new Set()),
  });
}

/** What both saw of one method at one place. */
export function mergeLearnedOperations(
  left: LearnedOperation,
  right: LearnedOperation,
): LearnedOperation {
  const exchange = mergeInferredShapes(left.exchange, right.exchange);
  return {
    entries: unionHashSets(left.entries, right.entries),
    firstDay: earlier(left.firstDay, right.firstDay),
    lastDay: later(left.lastDay, right.lastDay),
    exchange: exchange === left.exchange ? exchange : pruneHttpExchangeShape(exchange),
  };
}

/** An exchange of bounded size. */
export function pruneHttpExchangeShape(exchange: InferredShape): InferredShape {
  return limitInferredShapeProperties(exchange, maxPlaces);
}

/** A node with a bounded number of children. */
export function dropExcessPathChildren(node: LearnedPathNode): LearnedPathNode {
  if (node.children.size <= maxChildren) return node;
  const hashed = [...node.children.keys()].map((key) => [shortHash(key), key] as const);
  const sorted = hashed.toSorted(([left], [right]) => (left < right ? -1 : 1));
  const left = sorted.slice(maxChildren);
  const children = new Map(node.children);
  for (const [, key] of left) children.delete(key);
  const omitted = new Set(left.map(([hash]) => hash));
  return { ...node, children, omitted: unionHashSets(node.omitted ?? new Set(), omitted) };
}

function joinMaps<Value>(
  left: ReadonlyMap<string, Value>,
  right: ReadonlyMap<string, Value>,
  join: (left: Value, right: Value) => Value,
): ReadonlyMap<string, Value> {
  const joined = new Map(left);
  for (const [key, value] of right) {
    const own = left.get(key);
    joined.set(key, own === undefined ? value : join(own, value));
  }
  return joined;
}

function earlier(left: string | undefined, right: string | undefined): string | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return left < right ? left : right;
}

function later(left: string | undefined, right: string | undefined): string | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return left > right ? left : right;
}
