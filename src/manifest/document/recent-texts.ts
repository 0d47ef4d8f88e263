/** Texts longer than this are not stored. */
const maxTextLength = 8 * 1024 * 1024;

/**
 * Returns a function that parses like `parse`, and that returns the same object again for one of
 * the last `count` different texts. Many files may refer to one, whose text each of them reads.
 */
export function memoizeRecentParses<Value>(
  parse: (text: string) => Value,
  count: number,
): (text: string) => Value {
  const recent = new Map<string, Value>();
  return (text) => {
    const known = recent.get(text);
    const value = known ?? parse(text);
    if (text.length > maxTextLength) return value;
    // The last one is the newest.
    recent.delete(text);
    recent.set(text, value);
    const [oldest] = recent.keys();
    if (recent.size > count && oldest !== undefined) recent.delete(oldest);
    return value;
  };
}
