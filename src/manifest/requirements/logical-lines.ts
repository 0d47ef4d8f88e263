/** One line as pip reads it: continuations joined, comments gone. */
export interface LogicalLine {
  /** Of the first of the lines that were joined, from 1. */
  readonly line: number;
  readonly text: string;
}

// oxlint-disable-next-line no-control-regex -- these end a line
const pythonLineEnds = /[\v\f\x1c-\x1e\x85\u2028\u2029]/;

/**
 * The lines of a requirements.txt that say something: a line that ends with `\`
 * goes on in the next, unless it is a comment; a comment begins at a `#` after
 * white space.
 */
export function logicalLines(text: string): LogicalLine[] {
  const lines: LogicalLine[] = [];
  let open: LogicalLine | undefined;
  for (const { line, text: raw } of physicalLines(text)) {
    const joined: LogicalLine = open ?? { line, text: "" };
    // A comment in the middle of continued lines ends them, as it does for pip.
    const isComment = /^\s*#/.test(raw);
    const continues = raw.endsWith("\\") && !isComment;
    const part = continues ? raw.slice(0, -1) : raw;
    const whole = { line: joined.line, text: `${joined.text}${isComment ? ` ${part}` : part}` };
    if (!continues) lines.push(whole);
    open = continues ? whole : undefined;
  }
  if (open !== undefined) lines.push(open);
  return lines
    .map((it) => ({ line: it.line, text: withoutComment(it.text).trim() }))
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
  if (text.startsWith("#")) return "";
  const start = text.search(/\s#/);
  return start === -1 ? text : text.slice(0, start);
}
