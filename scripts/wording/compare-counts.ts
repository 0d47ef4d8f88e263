type Counts = Readonly<Record<string, number>>;

/** What differs between two counts, as lines to print. */
export interface CountDifferences {
  readonly higher: readonly string[];
  readonly lower: readonly string[];
  /** By how much the sum of all folders has changed. */
  readonly total: number;
}

/** Compares counts per folder; a folder without a count has zero. */
export function compareCounts(recorded: Counts, counted: Counts): CountDifferences {
  const folders = [...new Set([...Object.keys(recorded), ...Object.keys(counted)])].toSorted();
  const changes = folders.map((folder) => {
    const [from, to] = [recorded[folder] ?? 0, counted[folder] ?? 0];
    return {
      line: `${folder}: ${to.toString()} rejected phrases, recorded are ${from.toString()}`,
      by: to - from,
    };
  });
  return {
    higher: changes.filter(({ by }) => by > 0).map(({ line }) => line),
    lower: changes.filter(({ by }) => by < 0).map(({ line }) => line),
    total: changes.reduce((sum, { by }) => sum + by, 0),
  };
}
