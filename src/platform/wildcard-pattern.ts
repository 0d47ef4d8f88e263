/**
 * Whether a text has the form of a pattern. `*` stands for any characters, slashes
 * included, and everything else for itself. Each part is looked for once, from left
 * to right, because a regular expression with many stars can take exponential time.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const first = pattern.indexOf("*");
  if (first === -1) return pattern === text;
  const last = pattern.lastIndexOf("*");
  const tail = pattern.length - last - 1;
  if (text.length < first + tail) return false;
  if (!text.startsWith(pattern.slice(0, first)) || !text.endsWith(pattern.slice(last + 1))) {
    return false;
  }
  if (first === last) return true;
  const parts = pattern.slice(first + 1, last).split("*");
  return holdsInOrder(text.slice(first, text.length - tail), parts);
}

function holdsInOrder(text: string, parts: readonly string[]): boolean {
  let position = 0;
  return parts.every((part) => {
    const found = text.indexOf(part, position);
    position = found + part.length;
    return found !== -1;
  });
}
