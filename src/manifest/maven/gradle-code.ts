import { DependencyFileSyntaxError } from "../dependency-file.ts";

/** Code of a build without comments. Both texts have the same places and lines. */
export interface GradleCode {
  readonly code: string;
  /** The code with spaces in place of what is in quotes. */
  readonly plain: string;
}

type Language = "groovy" | "kotlin";

/** A comment, or a text with its quotes. */
interface Token {
  readonly isComment: boolean;
  readonly from: number;
  readonly to: number;
}

/** Texts may hold code that holds texts. No build has more of them within one another. */
const maxLevels = 50;

/**
 * Returns the code of a build as Groovy has it, and as Kotlin has it where that differs: the
 * languages differ in comments within comments and in texts that may look like a comment.
 * Throws `DependencyFileSyntaxError`.
 */
export function stripGradleCommentsPerLanguage(text: string): readonly GradleCode[] {
  const lines = text.replaceAll(/\r\n?/g, "\n");
  const groovy = withoutTokens(lines, tokensIn(lines, "groovy"));
  const kotlin = withoutTokens(lines, tokensIn(lines, "kotlin"));
  const isSame = groovy.code === kotlin.code && groovy.plain === kotlin.plain;
  return isSame ? [groovy] : [groovy, kotlin];
}

function withoutTokens(text: string, tokens: readonly Token[]): GradleCode {
  const code: string[] = [];
  const plain: string[] = [];
  let last = 0;
  for (const { isComment, from, to } of tokens) {
    const before = text.slice(last, from);
    const token = text.slice(from, to);
    const shown = isComment ? ` ${"\n".repeat(token.split("\n").length - 1)}` : token;
    code.push(before, shown);
    plain.push(before, isComment ? shown : `${token[0] ?? ""}${" ".repeat(token.length - 1)}`);
    last = to;
  }
  const rest = text.slice(last);
  return { code: code.join("") + rest, plain: plain.join("") + rest };
}

/** The comments and texts of a build. A comment without an end counts as code. */
function tokensIn(text: string, language: Language): readonly Token[] {
  const tokens: Token[] = [];
  let isEndMissing = false;
  scanCode(0, 0);
  return tokens;

  /** Returns where code ends: of a level above 0 behind the brace that closes it. */
  function scanCode(start: number, level: number): number {
    if (level > maxLevels) throw new DependencyFileSyntaxError("invalid_gradle: it nests too deep");
    const marks = /["'`/{}$]/g;
    marks.lastIndex = start;
    let braces = 0;
    for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
      const { 0: character, index } = mark;
      if (character === "{") braces += 1;
      else if (character === "}") {
        if (braces === 0 && level > 0) return index + 1;
        braces -= 1;
      } else {
        const token = tokenAt(index, level);
        if (token === undefined) continue;
        if (level === 0) tokens.push(token);
        marks.lastIndex = token.to;
      }
    }
    return text.length;
  }

  function tokenAt(from: number, level: number): Token | undefined {
    if (text.startsWith("//", from)) return { isComment: true, from, to: endOf("\n", from) };
    if (text.startsWith("/*", from)) {
      const to = isEndMissing ? undefined : endOfComment(from);
      isEndMissing = to === undefined;
      return to === undefined ? undefined : { isComment: true, from, to };
    }
    const to = endOfText(from, level);
    return to === undefined ? undefined : { isComment: false, from, to };
  }

  function endOf(mark: string, from: number): number {
    const end = text.indexOf(mark, from);
    return end === -1 ? text.length : end;
  }

  /** Comments of Kotlin nest. */
  function endOfComment(from: number): number | undefined {
    const marks = /\/\*|\*\//g;
    marks.lastIndex = from;
    let depth = 0;
    for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
      if (mark[0] === "*/") depth -= 1;
      else if (depth === 0 || language === "kotlin") depth += 1;
      if (depth === 0) return marks.lastIndex;
      // The star of an opening mark of Groovy may belong to the closing one.
      if (mark[0] === "/*" && mark.index > from && language === "groovy") marks.lastIndex -= 1;
    }
    return undefined;
  }

  /** Undefined where no text begins. */
  function endOfText(from: number, level: number): number | undefined {
    const isGroovy = language === "groovy";
    const [first = ""] = text.slice(from, from + 1);
    if (first === "`") return isGroovy ? undefined : endOfLineText(from, "`", level);
    if (first === "/" || first === "$") {
      if (!isGroovy || !mayBeginSlashy(from)) return undefined;
      if (first === "/") return endOfLongText(from + 1, "/", level);
      return text[from + 1] === "/" ? endOfLongText(from + 2, "/$", level) : undefined;
    }
    const quotes = first.repeat(3);
    const isLong = text.startsWith(quotes, from) && (isGroovy || first === '"');
    return isLong ? endOfLongText(from + 3, quotes, level) : endOfLineText(from, first, level);
  }

  /** A text that ends with its line at the latest. */
  function endOfLineText(from: number, quote: string, level: number): number {
    for (let at = from + 1; at < text.length; at += 1) {
      const character = text[at];
      if (character === quote) return at + 1;
      if (character === "\n") return at;
      if (quote === "`") continue;
      if (character === "\\") at += 1;
      else if (quote === '"' && text.startsWith("${", at)) at = scanCode(at + 2, level + 1) - 1;
    }
    return text.length;
  }

  /** A text of several lines: of three quotes, of slashes, or of slashes and dollars. */
  function endOfLongText(from: number, end: string, level: number): number {
    for (let at = from; at < text.length; at += 1) {
      if (text.startsWith(end, at)) return at + lengthOfEnd(at, end);
      if (isEscape(at, end)) at += 1;
      else if (end !== "'''" && text.startsWith("${", at)) at = scanCode(at + 2, level + 1) - 1;
    }
    return text.length;
  }

  /** The last three of several quotes end a text of Kotlin. */
  function lengthOfEnd(at: number, end: string): number {
    let { length } = end;
    if (language === "kotlin") while (text[at + length] === '"') length += 1;
    return length;
  }

  function isEscape(at: number, end: string): boolean {
    if (end === "/$") return text[at] === "$" && /[$/]/.test(text[at + 1] ?? "");
    if (text[at] !== "\\") return false;
    return end === "/" ? text[at + 1] === "/" : language === "groovy";
  }

  /** Behind a value, a slash divides. */
  function mayBeginSlashy(from: number): boolean {
    let at = from - 1;
    while (text[at] === " " || text[at] === "\t") at -= 1;
    const before = text.slice(Math.max(0, at - 15), at + 1);
    if (/(?:^|[^\w$.])(?:return|in|case|assert|throw|else|do|as|new|instanceof)$/.test(before)) {
      return true;
    }
    return !/[\w$)\]}"'/]$/.test(before);
  }
}

/** A call, an assignment or another piece of code up to a brace, a semicolon or its last line. */
export interface GradleStatement extends GradleCode {
  /** First line, from 1. */
  readonly line: number;
  /** How many blocks it is within. */
  readonly depth: number;
}

/** Longer calls are cut into parts. */
const maxLines = 100;

/** Splits code at braces, semicolons and the ends of lines that are not within brackets. */
export function splitGradleStatements({ code, plain }: GradleCode): readonly GradleStatement[] {
  const statements: GradleStatement[] = [];
  const outer: number[] = [];
  let depth = 0;
  let from = 0;
  let line = 1;
  let lines = 0;
  for (const { 0: mark, index } of plain.matchAll(/[\n;{}()[\]]/g)) {
    if (mark === "(" || mark === "[") depth += 1;
    else if (mark === ")" || mark === "]") depth = Math.max(0, depth - 1);
    else if (mark === "\n" && goesOn(index)) lines += 1;
    else {
      end(index);
      if (mark === "{") outer.push(depth);
      depth = mark === "}" ? (outer.pop() ?? 0) : mark === ";" ? depth : 0;
    }
  }
  end(code.length);
  return statements;

  function goesOn(index: number): boolean {
    if (lines >= maxLines) return false;
    const before = plain.slice(from, index).trimEnd();
    if (before === "") return false;
    return depth > 0 || ",=:\\".includes(before.at(-1) ?? " ") || startsWithDot(index);
  }

  function startsWithDot(index: number): boolean {
    return /\s*\.(?!\.)/y.test(plain.slice(index, index + 200));
  }

  function end(index: number): void {
    const piece = code.slice(from, index);
    const text = piece.trim();
    if (text !== "") {
      const start = piece.length - piece.trimStart().length;
      const first = line + countLines(piece.slice(0, start));
      const shown = plain.slice(from + start, from + start + text.length);
      statements.push({
        code: oneLine(text),
        plain: oneLine(shown),
        line: first,
        depth: outer.length,
      });
    }
    line += countLines(code.slice(from, index + 1));
    from = index + 1;
    lines = 0;
  }
}

function countLines(text: string): number {
  return text.split("\n").length - 1;
}

function oneLine(text: string): string {
  return text.replaceAll("\n", " ");
}
