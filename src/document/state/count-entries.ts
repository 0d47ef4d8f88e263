import { maxTrafficEntryHashes } from "../shape/short-hashes.ts";
import type { LearnedOperation, LearnedPathNode } from "./path-node.ts";

/** Entries below a node, each once. */
export function countLearnedTrafficEntries(node: LearnedPathNode): number {
  let count = 0;
  for (const operation of listLearnedOperations(node)) count += countOf(operation);
  return count;
}

/** Every operation of a node and below. */
export function* listLearnedOperations(node: LearnedPathNode): Generator<LearnedOperation> {
  yield* node.operations.values();
  for (const child of node.children.values()) yield* listLearnedOperations(child);
}

/**
 * Exact while all hashes are kept. Beyond that, the largest of the smallest tells how
 * densely they lie among all 2^64.
 */
function countOf({ entries }: LearnedOperation): number {
  if (entries.size < maxTrafficEntryHashes) return entries.size;
  const largest = [...entries].reduce((left, right) => (left > right ? left : right));
  return Math.round((entries.size - 1) / (Number(`0x${largest}`) / 2 ** 64));
}

/** Days of the first and the last entry below a node; undefined: none said when. */
export function findTrafficDayRange(node: LearnedPathNode): {
  firstDay: string | undefined;
  lastDay: string | undefined;
} {
  const days = [...listLearnedOperations(node)].flatMap(({ firstDay, lastDay }) => [
    firstDay,
    lastDay,
  ]);
  const sorted = days.filter((day) => day !== undefined).toSorted();
  return { firstDay: sorted[0], lastDay: sorted.at(-1) };
}
