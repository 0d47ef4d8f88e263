/** One line as pip reads it: continuations joined, comments gone. */
export interface LogicalLine {
  /** Of the first of the lines that were joined, from 1. */
  readonly line: number;
  readonly text: string;
}

const lineEnds = /\r\n|\r|\n/g;
// oxlint-disable-next-line no-control-regex -- these end a line
const pythonLineEnds = /[\v\f\x1c-\x1e\x85\u2028\u2029]/;
// oxlint-disable-next-line no-control-regex -- Python counts other characters as space than JavaScript
const space = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/**
 * Iterates over the lines of a requirements.txt that are not blank: a line that ends with `\`
 * continues in the next, unless it is a comment; a comment begins at a `#` after white space.
 * A generator, because a file may have two million lines.
 */
export function* iterateLogicalLines(text: string): Generator<LogicalLine> {
  let open: { readonly line: number; readonly parts: string[] } | undefined;
  for (const { line, text: raw } of physicalLines(text)) {
    const joined = open ?? { line, parts: [] };
    // A comment in the middle of continued lines ends them, as it does for pip.
    const isComment = strip(raw, space).startsWith("#");
    open = raw.endsWith("\\") && !isComment ? joined : undefined;
    // pip takes backslashes off both ends of a line that goes on.
    joined.parts.push(open === undefined ? (isComment ? ` ${raw}` : raw) : strip(raw, /\\/));
    if (open !== undefined) continue;
    const logical = logicalLine(joined.line, joined.parts);
    if (logical.text !== "") yield logical;
  }
  const last = logicalLine(open?.line ?? 1, open?.parts ?? []);
  if (last.text !== "") yield last;
}

function logicalLine(line: number, parts: readonly string[]): LogicalLine {
  return { line, text: strip(withoutComment(parts.join("")), space) };
}

/** pip ends a line wherever Python does, and people number lines as editors do. */
function* physicalLines(text: string): Generator<LogicalLine> {
  let start = 0;
  for (let line = 1; start <= text.length; line += 1) {
    lineEnds.lastIndex = start;
    const end = lineEnds.exec(text) ?? { index: text.length, 0: "\n" };
    for (const part of text.slice(start, end.index).split(pythonLineEnds)) {
      yield { line, text: part };
    }
    start = end.index + end[0].length;
  }
}

function withoutComment(text: string): string {
  let start = text.indexOf("#");
  while (start > 0 && !space.test(text[start - 1] ?? "")) start = text.indexOf("#", start + 1);
  return start === -1 ? text : text.slice(0, start);
}

/** Takes the characters that a pattern matches off both ends. */
function strip(text: string, pattern: RegExp): string {
  let start = 0;
  let end = text.length;
  while (start < end && pattern.test(text[start] ?? "")) start += 1;
  while (end > start && pattern.test(text[end - 1] ?? "")) end -= 1;
  return text.slice(start, end);
}
