/** Median, smallest and largest of a set of figures, all in the figures' own unit. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/**
 * Nearest-rank quantile: the smallest value that at least the share `rank`
 * (0 to 1) of all values does not exceed. Undefined without values.
 */
export function quantile(values: readonly number[], rank: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const position = Math.max(0, Math.ceil(rank * sorted.length) - 1);
  return sorted[position];
}

/** The middle value, or the mean of the two middle ones. Undefined without values. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}

/** Undefined without values. */
export function spread(values: readonly number[]): Spread | undefined {
  const middle = median(values);
  if (middle === undefined) return undefined;
  return { median: middle, min: Math.min(...values), max: Math.max(...values) };
}

/** One figure per round; undefined where a round could not take it. */
export type Series = readonly (number | undefined)[];

/**
 * Combines two variants round by round. A round in which either figure is
 * missing, or the combination is no finite number, is left out: rounds are
 * compared with themselves only, since the machine differs from one to the next.
 */
export function pairwise(
  left: Series,
  right: Series,
  combine: (left: number, right: number) => number,
): number[] {
  const combined: number[] = [];
  for (const [round, a] of left.entries()) {
    const b = right[round];
    if (a === undefined || b === undefined) continue;
    const value = combine(a, b);
    if (Number.isFinite(value)) combined.push(value);
  }
  return combined;
}

/** Spread of `left / right` within each round. */
export function pairedRatio(left: Series, right: Series): Spread | undefined {
  return spread(pairwise(left, right, (a, b) => a / b));
}

/** `left - right` of each round, with a hole where a round has no figure. */
export function pairedDifference(left: Series, right: Series): Series {
  return left.map((a, round) => {
    const b = right[round];
    return a === undefined || b === undefined ? undefined : a - b;
  });
}

/** The figures of a series without its holes. */
export function present(series: Series): number[] {
  return series.filter((value) => value !== undefined);
}
