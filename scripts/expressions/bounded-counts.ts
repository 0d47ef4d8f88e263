/** A count up to this bounds the steps at each place of the text; a larger one bounds nothing. */
const largestCount = 300;

/** Escapes and classes, which hold no quantifier, and counted quantifiers with the `)` before them. */
const tokens =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|.)|\[(?:[^\]\\]|\\.)*\]|(?<group>\)?)\{(?<least>\d+)(?<range>,(?<most>\d*))?\}/gs;

/**
 * The pattern with counts of at most 3 in the place of larger ones, so that the time of a
 * match grows with the text as before and the checker need not count: `\d{1,100}` becomes
 * `\d{1,3}`. A count over 300, or of a group, becomes none at all (`{1,}`), because counts
 * of groups multiply.
 */
export function withSmallCounts(pattern: string): string {
  return pattern.replaceAll(tokens, (token: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    const { group = "", least, range, most } = groups;
    if (least === undefined) return token;
    const [low, high] = [
      Number(least),
      range === undefined ? Number(least) : Number(most || "Infinity"),
    ];
    if (high <= 3) return token;
    const isBounded = high <= largestCount && group === "";
    return `${group}{${Math.min(low, 2)},${isBounded ? "3" : ""}}`;
  });
}

/** Whether every match takes a number of steps that the pattern bounds by itself. */
export function hasNoRepetition(pattern: string, flags: string): boolean {
  // Classes hold classes under this flag.
  if (flags.includes("v")) return false;
  return !/[*+{]/.test(pattern.replaceAll(/\\.|\[(?:[^\]\\]|\\.)*\]/gs, ""));
}
