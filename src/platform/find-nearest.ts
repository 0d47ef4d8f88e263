/** A name to suggest, and what else it may be known by. */
export interface NearestNameCandidate {
  readonly name: string;
  readonly others: readonly string[];
}

/**
 * The names nearest to what was asked for, at most so many, the nearest first: by
 * edit distance, where a name that holds the word counts as near.
 */
export function findNearestNames(
  asked: string,
  candidates: readonly NearestNameCandidate[],
  most = 5,
): string[] {
  const wanted = asked.toLowerCase();
  return candidates
    .map(({ name, others }) => ({
      name,
      distance: Math.min(
        ...[name, ...others].map((text) => distanceOf(wanted, text.toLowerCase())),
      ),
    }))
    .toSorted((left, right) => left.distance - right.distance)
    .slice(0, most)
    .map(({ name }) => name);
}

function distanceOf(wanted: string, text: string): number {
  const distance = editDistance(wanted, text);
  const words = text.split(/[^a-z0-9]+/);
  if (words.includes(wanted)) return Math.min(distance, 1.5);
  const isPart = wanted.length > 2 && (text.includes(wanted) || wanted.includes(text));
  return isPart ? Math.min(distance, 2.5) : distance;
}

/** Insertions, deletions, replacements and swaps of neighbours that make one text of the other. */
export function editDistance(left: string, right: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = at(row, j - 1) + (left[i - 1] === right[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const swapped = isSwap ? at(before, j - 2) + 1 : replaced;
      next.push(Math.min(replaced, swapped, at(row, j) + 1, at(next, j - 1) + 1));
    }
    before = row;
    row = next;
  }
  return at(row, right.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}
