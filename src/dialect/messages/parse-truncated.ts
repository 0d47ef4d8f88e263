import { lookupTable } from "../../platform/lookup-table.ts";
import type { JsonObject } from "../json.ts";
import { parseExactObject } from "../parse-exact.ts";

/**
 * The object that a JSON text tells as far as it came: a value, name or number
 * that was cut is left out, open brackets are closed. This is how the official
 * client reads the input of a call that a cap cut short. Undefined: the text is
 * no object, or is no JSON even up to where it was cut.
 */
export function parseTruncated(text: string): JsonObject | undefined {
  try {
    return parseExactObject(text);
  } catch {
    const closed = closedPrefix(text);
    return closed === undefined ? undefined : parse(closed);
  }
}

function parse(text: string): JsonObject | undefined {
  try {
    return parseExactObject(text);
  } catch {
    return undefined;
  }
}

const token = /\s*(?:("(?:[^"\\]|\\[^])*")|(-?\d[\d.eE+-]*)|(true|false|null)|([[\]{},:]))/y;
const cutToken = /^\s*(?:"[^]*|-|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)?$/;
const closers = lookupTable<string>({ "{": "}", "[": "]" });

interface Scan {
  /** Closing brackets that are still missing, innermost last. */
  readonly open: string[];
  /** The longest prefix that brackets complete, with them. */
  closed: string | undefined;
  /** A string would be the name of a member. */
  isName: boolean;
}

function closedPrefix(text: string): string | undefined {
  const scan: Scan = { open: [], closed: undefined, isName: false };
  let end = 0;
  token.lastIndex = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    end = token.lastIndex;
    take(scan, found, text, end);
  }
  return cutToken.test(text.slice(end)) ? scan.closed : undefined;
}

/** Takes one token; a number at the very end may go on, so it does not count. */
function take(scan: Scan, found: RegExpExecArray, text: string, end: number): void {
  const [, string, number, literal, mark = ""] = found;
  if (mark !== "") return takeMark(scan, mark, text, end);
  const isWhole = number === undefined ? string === undefined || !scan.isName : end < text.length;
  if (isWhole || literal !== undefined) close(scan, text, end);
}

function takeMark(scan: Scan, mark: string, text: string, end: number): void {
  const closer = closers.get(mark);
  if (closer !== undefined) scan.open.push(closer);
  else if (mark === "}" || mark === "]") scan.open.pop();
  scan.isName = scan.open.at(-1) === "}" && (mark === "{" || mark === ",");
  if (mark !== "," && mark !== ":") close(scan, text, end);
}

function close(scan: Scan, text: string, end: number): void {
  scan.closed = text.slice(0, end) + scan.open.toReversed().join("");
}
