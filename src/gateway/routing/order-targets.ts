import type { AliasStrategy } from "../../domain/alias-target.ts";

/** A target of an alias, as far as it counts where a call goes. */
export interface RankableRoutingTarget {
  /** Share of the calls. */
  readonly weight: number;
  /** Moving average of the milliseconds to the first byte; undefined: it has not answered yet. */
  readonly firstByteMs: number | undefined;
}

/** One call in so many tries another than the fastest. */
const callsPerExploration = 20;

/**
 * Targets in the order in which a call tries them. `draw` gives a number from 0 up to 1:
 * with `weighted` one for each target, so that the same numbers give the same
 * order, and a target that is left out changes nothing between the others; with
 * `fastest` whether another is tried, and which.
 */
export function sortTargetsByStrategy<Target extends RankableRoutingTarget>(
  strategy: AliasStrategy,
  targets: readonly Target[],
  draw: (target?: Target) => number,
): readonly Target[] {
  switch (strategy) {
    case "order":
      return targets;
    case "weighted":
      return sortBy(targets, (target) => waitingTime(draw(target), target.weight));
    case "fastest":
      return withExploration(sortBy(targets, timeOf), draw);
  }
}

/**
 * When the first call of a target comes whose calls come at random with the rate
 * `weight`: the least of all is a target's with a chance of its share (exponential
 * race; for hashed numbers, weighted rendezvous hashing).
 */
function waitingTime(drawn: number, weight: number): number {
  return -Math.log(1 - drawn) / weight;
}

function timeOf({ firstByteMs }: RankableRoutingTarget): number {
  return firstByteMs ?? Infinity;
}

function withExploration<Target>(sorted: readonly Target[], draw: () => number): readonly Target[] {
  if (sorted.length < 2 || draw() >= 1 / callsPerExploration) return sorted;
  const tried = 1 + Math.floor(draw() * (sorted.length - 1));
  return [...sorted.slice(tried, tried + 1), ...sorted.toSpliced(tried, 1)];
}

function sortBy<Target>(
  targets: readonly Target[],
  keyOf: (target: Target) => number,
): readonly Target[] {
  return targets
    .map((target) => [keyOf(target), target] as const)
    .toSorted(([one], [other]) => (one === other ? 0 : one - other))
    .map(([, target]) => target);
}
