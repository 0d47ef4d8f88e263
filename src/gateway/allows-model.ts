/** Whether a key with these patterns may use the model; no pattern allows every model. */
export function allowsModel(patterns: readonly string[], canonicalId: string): boolean {
  return patterns.length === 0 || patterns.some((pattern) => matches(pattern, canonicalId));
}

/**
 * `*` stands for any characters, slashes included, and everything else for
 * itself. Each part is looked for once, from left to right, because a regular
 * expression with many stars can take exponential time.
 */
function matches(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (text.length < first.length + last.length) return false;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  return holdsInOrder(text.slice(first.length, text.length - last.length), rest);
}

function holdsInOrder(text: string, parts: readonly string[]): boolean {
  let position = 0;
  return parts.every((part) => {
    const found = text.indexOf(part, position);
    position = found + part.length;
    return found !== -1;
  });
}
