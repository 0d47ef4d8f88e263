/** Characters of all texts of one function. A parsed text may take 200 times its length. */
const maxTotalLength = 2 * 1024 * 1024;

/**
 * Returns a function that parses like `parse`, and that returns the same object again for one of
 * the last `count` different texts, as far as these have no more than 2 Mi characters together.
 * Many files may refer to one, whose text each of them reads.
 */
export function memoizeRecentParses<Value>(
  parse: (text: string) => Value,
  count: number,
): (text: string) => Value {
  const recent = new Map<string, Value>();
  let length = 0;
  const remove = (text: string) => {
    if (recent.delete(text)) length -= text.length;
  };
  return (text) => {
    const known = recent.get(text);
    const value = known ?? parse(text);
    if (text.length > maxTotalLength) return value;
    // The last one is the newest.
    remove(text);
    recent.set(text, value);
    length += text.length;
    for (const oldest of recent.keys()) {
      if (recent.size <= count && length <= maxTotalLength) break;
      remove(oldest);
    }
    return value;
  };
}
