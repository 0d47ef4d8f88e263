/** Longer results are neither names nor versions; values that name each other could double at each step. */
const maxLength = 1000;
/** Properties refer to one another. */
const maxRounds = 20;

/**
 * Replaces each match of a global pattern by the value of its first group, which
 * may hold further matches. A match without a value stays, as does one that would
 * make the text longer than 1000 characters.
 */
export function expandPropertyReferences(
  text: string,
  pattern: RegExp,
  valueOf: (name: string) => string | undefined,
): string {
  let result = text;
  for (let round = 0; round < maxRounds && result.length <= maxLength; round += 1) {
    let { length } = result;
    const next = result.replaceAll(pattern, (whole, name: string) => {
      const value = valueOf(name);
      if (value === undefined || length + value.length > maxLength) return whole;
      length += value.length;
      return value;
    });
    if (next === result) break;
    result = next;
  }
  return result;
}
