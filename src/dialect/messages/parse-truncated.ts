import { recordToMap } from "../../platform/lookup-table.ts";
import type { JsonObject } from "../json.ts";
import { exceedsMaxJsonDepth } from "../nesting-limit.ts";
import { findJsonTextStringEnd, parseLosslessJsonObject } from "../parse-exact.ts";

/**
 * The object that a JSON text tells as far as it came: a value, name or number
 * that was cut is left out, open brackets are closed. This is how the official
 * client reads the input of a call that a cap cut short. Undefined: the text is
 * no object, is no JSON even up to where it was cut, or nests deeper than 256 levels.
 */
export function parseMessagesTruncatedObject(text: string): JsonObject | undefined {
  if (exceedsMaxJsonDepth(text)) return undefined;
  try {
    return parseLosslessJsonObject(text);
  } catch {
    const closed = closedPrefix(text);
    return closed === undefined ? undefined : parse(closed);
  }
}

function parse(text: string): JsonObject | undefined {
  try {
    return parseLosslessJsonObject(text);
  } catch {
    return undefined;
  }
}

const token = /\s*(?:(")|(-?\d[\d.eE+-]*)|(true|false|null)|([[\]{},:]))/y;
const cutToken = /^\s*(?:"|-|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)?$/;
const closers = recordToMap<string>({ "{": "}", "[": "]" });

interface Scan {
  /** Closing brackets that are still missing, innermost last. */
  readonly open: string[];
  /** Length of the longest prefix that these brackets complete. */
  length: number | undefined;
  /** A string would be the name of a member. */
  isName: boolean;
}

/** The longest prefix that brackets complete, with them; undefined if no prefix can be completed. */
function closedPrefix(text: string): string | undefined {
  const scan: Scan = { open: [], length: undefined, isName: false };
  let end = 0;
  token.lastIndex = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[1] !== undefined) {
      const quoteAt = findJsonTextStringEnd(text, token.lastIndex - 1);
      if (quoteAt === text.length) return joinClosed(scan, text);
      token.lastIndex = quoteAt + 1;
    }
    end = token.lastIndex;
    take(scan, found, end, text);
  }
  return cutToken.test(text.slice(end)) ? joinClosed(scan, text) : undefined;
}

function joinClosed({ open, length }: Scan, text: string): string | undefined {
  return length === undefined ? undefined : text.slice(0, length) + open.toReversed().join("");
}

/** Takes one token; a number at the very end may go on, so it does not count. */
function take(scan: Scan, found: RegExpExecArray, end: number, { length }: string): void {
  const [, quote, number, , mark = ""] = found;
  if (mark !== "") return takeMark(scan, mark, end);
  const isWhole = number === undefined ? quote === undefined || !scan.isName : end < length;
  if (isWhole) scan.length = end;
}

/** Every bracket completes a prefix, so the scan always has the brackets that are missing there. */
function takeMark(scan: Scan, mark: string, end: number): void {
  const closer = closers.get(mark);
  if (closer !== undefined) scan.open.push(closer);
  else if (mark === "}" || mark === "]") scan.open.pop();
  scan.isName = scan.open.at(-1) === "}" && (mark === "{" || mark === ",");
  if (mark !== "," && mark !== ":") scan.length = end;
}
