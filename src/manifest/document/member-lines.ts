/** Line from 1 of a member of an object or a list, by the way to it. */
export type MemberLines = (...path: readonly (string | number)[]) => number | undefined;

/** An object or a list that is open, and where in it the text is. */
interface Open {
  readonly isList: boolean;
  /** Name of the member, or number of the element. */
  at: string | number;
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?|[{}[\],]|\n/g;

/**
 * Finds on which line each member of the first levels of a JSON object stands,
 * two of them unless said. The text must be valid JSON; of repeated names the
 * last counts.
 */
export function memberLines(text: string, levels = 2): MemberLines {
  const lines = new Map<string, number>();
  const open: Open[] = [];
  let line = 1;
  const note = () => {
    if (open.length <= levels) lines.set(JSON.stringify(open.map(({ at }) => at)), line);
  };
  for (const { 0: token } of text.matchAll(tokens)) {
    const inner = open.at(-1);
    if (token === "{" || token === "[") {
      if (inner?.isList === true) note();
      open.push({ isList: token === "[", at: token === "[" ? 0 : "" });
    } else if (token === "}" || token === "]") open.pop();
    else if (token === ",") {
      if (typeof inner?.at === "number") inner.at += 1;
    } else if (token.endsWith(":") && inner !== undefined) {
      inner.at = nameOf(token);
      note();
    }
    if (token !== ",") line += token.split("\n").length - 1;
  }
  return (...path) => lines.get(JSON.stringify(path));
}

function nameOf(token: string): string {
  return String(JSON.parse(token.slice(0, token.lastIndexOf('"') + 1)));
}
