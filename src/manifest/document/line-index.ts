/** Line from 1 of a place in a text. */
export type OffsetLineLookup = (offset: number) => number;

/** Finds lines by offset. */
export function createOffsetLineLookup(text: string): OffsetLineLookup {
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

/** Finds the first line on which a text stands in quotes; undefined if there is none. */
export function createQuotedTextLineLookup(text: string): (quoted: string) => number | undefined {
  const lines = new Map<string, number>();
  for (const [index, line] of text.split("\n").entries()) {
    for (const { 0: token } of line.matchAll(/"[^"]*"|'[^']*'/g)) {
      const quoted = token.slice(1, -1);
      if (!lines.has(quoted)) lines.set(quoted, index + 1);
    }
  }
  return (quoted) => lines.get(quoted);
}
