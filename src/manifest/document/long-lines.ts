import type { ReadDependencyFile } from "../dependency-file.ts";
import { show, type UnparsedText } from "../manifest.ts";

/** Longest line, in characters, of a format that is read line by line. */
export const maxLineLength = 65_536;

/** Why a line is not read; `unparsed` shows how it begins. */
export const lineTooLong = `line_too_long: it has more than ${maxLineLength.toString()} characters`;

/** Returns the `unparsed` entry of a line that is too long; undefined for any other. */
export function longLine(text: string, line: number): UnparsedText | undefined {
  return text.length > maxLineLength ? { line, text: show(text), reason: lineTooLong } : undefined;
}

/** Makes a reader pass over lines that are too long; the other lines keep their numbers. */
export function withoutLongLines(read: ReadDependencyFile): ReadDependencyFile {
  return (text, beside) => {
    const lines = text.split("\n");
    const long = lines.flatMap((line, index) => longLine(line, index + 1) ?? []);
    if (long.length === 0) return read(text, beside);
    const rest = lines.map((line) => (line.length > maxLineLength ? "" : line)).join("\n");
    const file = read(rest, beside);
    return { ...file, unparsed: [...long, ...file.unparsed] };
  };
}

/** Replaces each block from `open` to `close` by its line ends. A block without an end stays. */
export function withoutBlocks(text: string, open: string, close: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let start = text.indexOf(open); start !== -1; start = text.indexOf(open, from)) {
    const end = text.indexOf(close, start + open.length);
    if (end === -1) break;
    const block = text.slice(start, end);
    parts.push(text.slice(from, start), "\n".repeat(block.split("\n").length - 1));
    from = end + close.length;
  }
  return parts.join("") + text.slice(from);
}
