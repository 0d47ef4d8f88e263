/** One line as pip reads it: continuations joined, comments gone. */
export interface LogicalLine {
  /** Of the first of the lines that were joined, from 1. */
  readonly line: number;
  readonly text: string;
}

// oxlint-disable-next-line no-control-regex -- these end a line
const pythonLineEnds = /[\v\f\x1c-\x1e\x85\u2028\u2029]/;
// oxlint-disable-next-line no-control-regex -- Python counts other characters as space than JavaScript
const space = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/**
 * The lines of a requirements.txt that say something: a line that ends with `\`
 * goes on in the next, unless it is a comment; a comment begins at a `#` after
 * white space.
 */
export function splitLogicalLines(text: string): LogicalLine[] {
  const lines: LogicalLine[] = [];
  let open: { readonly line: number; readonly parts: string[] } | undefined;
  for (const { line, text: raw } of physicalLines(text)) {
    const joined = open ?? { line, parts: [] };
    // A comment in the middle of continued lines ends them, as it does for pip.
    const isComment = strip(raw, space).startsWith("#");
    open = raw.endsWith("\\") && !isComment ? joined : undefined;
    // pip takes backslashes off both ends of a line that goes on.
    joined.parts.push(open === undefined ? (isComment ? ` ${raw}` : raw) : strip(raw, /\\/));
    if (open === undefined) lines.push({ line: joined.line, text: joined.parts.join("") });
  }
  if (open !== undefined) lines.push({ line: open.line, text: open.parts.join("") });
  return lines
    .map((it) => ({ line: it.line, text: strip(withoutComment(it.text), space) }))
    .filter((it) => it.text !== "");
}

/** pip ends a line wherever Python does, and people number lines as editors do. */
function physicalLines(text: string): LogicalLine[] {
  return text
    .split(/\r\n|\r|\n/)
    .flatMap((line, index) =>
      line.split(pythonLineEnds).map((part) => ({ line: index + 1, text: part })),
    );
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
