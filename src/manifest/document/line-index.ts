/** Line from 1 of a place in a text. */
export type LineAt = (offset: number) => number;

/** Finds lines by offset. */
export function lineIndex(text: string): LineAt {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

/** Manifests are small; in a long text each search would take its time. */
const longestSearched = 1_000_000;

/** Finds the first line that holds a text; undefined: there is none, or the text is too long to search. */
export function lineSearch(text: string): (needle: string) => number | undefined {
  const lineAt = lineIndex(text);
  return (needle) => {
    const at = text.length > longestSearched ? -1 : text.indexOf(needle);
    return at === -1 ? undefined : lineAt(at);
  };
}
