import { countLearnedTrafficEntries } from "../state/count-entries.ts";
import type { LearnedPathNode } from "../state/path-node.ts";

/**
 * The origin that a document is of: that of the base address, or without one the
 * origin that most entries were of, of several the smallest. Undefined: nothing was
 * learned, and there is no base address.
 */
export function chooseServiceOrigin(
  state: LearnedPathNode,
  baseUrl: string | undefined,
): string | undefined {
  if (baseUrl !== undefined) return new URL(baseUrl).origin;
  const counted = [...state.children].map(
    ([origin, node]) => [origin, countLearnedTrafficEntries(node)] as const,
  );
  const [first] = counted.toSorted(
    ([left, leftCount], [right, rightCount]) => rightCount - leftCount || (left < right ? -1 : 1),
  );
  return first?.[0];
}
