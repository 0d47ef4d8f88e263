/**
 * Returns a function that tells whether a text has the form of any of the patterns. `*` stands
 * for any characters, slashes included, and everything else for itself. Each part of a pattern
 * is looked for once, from left to right, because a regular expression with many stars can take
 * exponential time.
 */
export function compileWildcardMatcher(patterns: readonly string[]): (text: string) => boolean {
  const names = new Set(patterns.filter((pattern) => !pattern.includes("*")));
  const others = patterns.filter((pattern) => pattern.includes("*")).map(readParts);
  return (text) => names.has(text) || others.some((parts) => matchesParts(parts, text));
}

/** Parts of a pattern before, between and after its stars. */
interface PatternParts {
  readonly start: string;
  readonly middle: readonly string[];
  readonly end: string;
}

function readParts(pattern: string): PatternParts {
  const [start = "", ...others] = pattern.split("*");
  const end = others.pop() ?? "";
  return { start, middle: others.filter((part) => part !== ""), end };
}

function matchesParts({ start, middle, end }: PatternParts, text: string): boolean {
  const last = text.length - end.length;
  if (last < start.length || !text.startsWith(start) || !text.endsWith(end)) return false;
  let position = start.length;
  for (const part of middle) {
    const found = text.indexOf(part, position);
    if (found === -1) return false;
    position = found + part.length;
  }
  return position <= last;
}
