import { truncateToOneLine } from "../fetch/source-text.ts";

/** What a go.mod says of its module's own versions. */
export interface GoModWithdrawals {
  /** Words of its `Deprecated:` comment; undefined: it has none. */
  readonly deprecation?: string;
  readonly retractions: readonly GoRetraction[];
}

/** Versions that were taken back: one, or all from `low` to `high`. */
export interface GoRetraction {
  readonly low: string;
  readonly high: string;
  readonly reason: string | null;
}

interface Line {
  readonly code: string;
  /** Comment of the line, and of the lines right above it that hold nothing else. */
  readonly comment: string;
}

const maxLines = 5000;
const maxLineLength = 1000;

/** Reads the two directives that matter here (Go modules reference, sections module and retract). */
export function parseGoModWithdrawals(text: string): GoModWithdrawals {
  const lines = linesOf(text);
  const module = lines.find(({ code }) => /^module\s/.test(code));
  const deprecation = deprecationIn(module?.comment ?? "");
  return {
    ...(deprecation !== undefined && { deprecation }),
    retractions: retractionsIn(lines),
  };
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let above: string[] = [];
  for (const raw of text.split(/\r?\n/).slice(0, maxLines)) {
    const [code, comment] = splitComment(raw.slice(0, maxLineLength));
    if (code === "" && comment === undefined) above = [];
    else if (code === "") above.push(comment ?? "");
    else {
      const own = comment === undefined ? [] : [comment];
      lines.push({ code, comment: [...above, ...own].join("\n") });
      above = [];
    }
  }
  return lines;
}

/** Both without white space around them. */
function splitComment(line: string): readonly [code: string, comment: string | undefined] {
  const start = line.indexOf("//");
  if (start === -1) return [line.trim(), undefined];
  return [line.slice(0, start).trim(), line.slice(start + 2).trim()];
}

/** The paragraph that begins with the word; it ends at an empty line of the comment. */
function deprecationIn(comment: string): string | undefined {
  const paragraph = comment.split(/\n\s*\n/).find((it) => it.trim().startsWith("Deprecated:"));
  if (paragraph === undefined) return undefined;
  return truncateToOneLine(paragraph.trim().replace(/^Deprecated:\s*/, "")) ?? "";
}

function retractionsIn(lines: readonly Line[]): readonly GoRetraction[] {
  let isBlock = false;
  let blockComment = "";
  return lines.flatMap(({ code, comment }) => {
    if (/^retract\s*\($/.test(code)) {
      [isBlock, blockComment] = [true, comment];
      return [];
    }
    if (code === ")") isBlock = false;
    const range = isBlock ? code : /^retract\s+(\S.*)$/.exec(code)?.[1];
    return range === undefined ? [] : retraction(range, comment || (isBlock ? blockComment : ""));
  });
}

function retraction(range: string, comment: string): readonly GoRetraction[] {
  const [, low, high] =
    /^\[\s*([^\s,\]]+)\s*,\s*([^\s,\]]+)\s*\]$/.exec(range) ?? /^(v[^\s,[\]]+)$/.exec(range) ?? [];
  if (low === undefined) return [];
  return [{ low, high: high ?? low, reason: truncateToOneLine(comment) ?? null }];
}
