/** A statement of a Ruby program, without its comment. */
export interface RubyStatement {
  readonly code: string;
  /** Where it begins, from 1. */
  readonly line: number;
}

/** Longer statements are cut into parts. */
const maxLines = 100;

/**
 * Splits a Ruby program into statements, at line ends and semicolons outside of quotes. A line
 * that ends in a comma, a backslash or an open bracket continues on the next one.
 */
export function splitRubyStatements(text: string): RubyStatement[] {
  const statements: RubyStatement[] = [];
  let parts: string[] = [];
  let start = 1;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const pieces = splitCode(raw, ";");
    for (const [at, piece] of pieces.entries()) {
      if (parts.length === 0) start = index + 1;
      const isOpen = at === pieces.length - 1 && /[,([{\\]$/.test(piece) && parts.length < maxLines;
      parts.push(isOpen && piece.endsWith("\\") ? piece.slice(0, -1) : piece);
      // An empty line or a comment does not end a call that goes on.
      if (isOpen || (piece === "" && parts.length > 1 && parts.length < maxLines)) continue;
      const code = parts.join(" ").trim();
      if (code !== "") statements.push({ code, line: start });
      parts = [];
    }
  }
  const code = parts.join(" ").trim();
  return code === "" ? statements : [...statements, { code, line: start }];
}

/** No block has longer names of its values. */
const maxBlockStart = 200;

/** Returns the `do |names|` that ends a statement; empty without one. */
export function findTrailingRubyDoClause(code: string): string {
  return /(?<!\w)do(?:[ \t]{0,9}\|[^|]*\|)?$/.exec(code.slice(-maxBlockStart))?.[0] ?? "";
}

/** Splits the arguments of a call up to its end: a closing bracket, `if`, `unless` or a block. */
export function splitRubyArguments(text: string): string[] {
  const code = text.slice(0, text.length - findTrailingRubyDoClause(text).length);
  const plain = blankRubyQuotedText(code);
  const end = plain.search(/\s(?:if|unless)\s/);
  const call = (end === -1 ? code : code.slice(0, end)).trim();
  return splitCode(call, ",").map((part) => part.trim());
}

/** Replaces the contents of quotes by spaces, so that places stay. */
export function blankRubyQuotedText(code: string): string {
  let quote = "";
  let plain = "";
  for (let at = 0; at < code.length; at += 1) {
    const character = code[at] ?? "";
    if (quote === "") {
      if (character === '"' || character === "'") quote = character;
      plain += character;
    } else if (character === "\\") {
      plain += "  ".slice(0, code.length - at);
      at += 1;
    } else {
      const isEnd = character === quote;
      plain += isEnd ? character : " ";
      if (isEnd) quote = "";
    }
  }
  return plain;
}

/**
 * Splits code at a separator outside of quotes and brackets, and leaves out a comment. A bracket
 * that closes none ends the code: it is the end of the call.
 */
function splitCode(code: string, separator: string): string[] {
  const plain = blankRubyQuotedText(code);
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  let end = code.length;
  for (let at = 0; at < plain.length; at += 1) {
    const character = plain[at] ?? "";
    if (character === "#" && /^$|\s/.test(plain[at - 1] ?? "")) {
      end = at;
      break;
    }
    if (separator === "," && /[([{]/.test(character)) depth += 1;
    else if (separator === "," && /[)\]}]/.test(character)) {
      depth -= 1;
      if (depth < 0) {
        end = at;
        break;
      }
    } else if (character === separator && depth === 0) {
      parts.push(code.slice(from, at).trim());
      from = at + 1;
    }
  }
  parts.push(code.slice(from, end).trim());
  return parts;
}
