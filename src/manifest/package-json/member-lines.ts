/** Lines of the members of an object's objects: group, member, line from 1. */
export type MemberLines = (group: string, name?: string) => number | undefined;

/**
 * Finds on which line each member of the first two levels of a JSON object
 * stands. The text must be valid JSON; of repeated names the last counts.
 */
export function memberLines(text: string): MemberLines {
  const lines = new Map<string, number>();
  let depth = 0;
  let line = 1;
  let group = "";
  const note = (name: string) => {
    if (depth === 1) group = name;
    lines.set(depth === 1 ? keyOf(name) : keyOf(group, name), line);
  };
  for (const { 0: token } of text.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[{}[\]]|\n/g)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (token.endsWith(":") && depth <= 2) note(nameOf(token));
    line += token.split("\n").length - 1;
  }
  return (group, name) => lines.get(keyOf(group, name));
}

/** Names may hold anything, so that no separator would do. */
function keyOf(...names: readonly (string | undefined)[]): string {
  return JSON.stringify(names.filter((name) => name !== undefined));
}

function nameOf(token: string): string {
  return String(JSON.parse(token.slice(0, token.lastIndexOf('"') + 1)));
}
