import { combinationsOf, findGrowth, type Combination, type Outcome } from "./find-growth.ts";
import { documentKinds } from "./document-kinds.ts";
import type { GrowthOptions } from "./growth-options.ts";

/** A single dimension is repeated so many times as often as one of a pair. */
const singleFactor = 4;

/** Returns the combinations that a run measures. */
export function planCombinations(options: GrowthOptions): readonly Combination[] {
  const { kinds, only, everyPath, shard } = options;
  const all = documentKinds
    .filter(({ name }) => kinds.includes(name))
    .flatMap(combinationsOf)
    .filter(
      ({ dimensions }) => only === undefined || dimensions.every((one) => only.includes(one)),
    );
  const chosen = everyPath || only !== undefined ? all : all.filter(isInTurn);
  return chosen.filter((_combination, place) => place % shard[1] === shard[0] - 1);
}

/** A pair goes one of its ways, each way as often as the others; a single dimension goes all. */
function isInTurn({ dimensions, path, kind }: Combination, place: number): boolean {
  if (dimensions.length === 1) return true;
  const paths = documentKinds.find(({ name }) => name === kind)?.paths ?? [];
  return paths[Math.floor(place / paths.length) % paths.length] === path;
}

/** Measures one combination of a plan. */
export function measureCombination(combination: Combination, size: number): Outcome {
  const kind = documentKinds.find(({ name }) => name === combination.kind);
  if (kind === undefined) throw new Error(`there is no kind ${combination.kind}`);
  const factor = combination.dimensions.length === 1 ? singleFactor : 1;
  return findGrowth(kind, combination, factor * size);
}
