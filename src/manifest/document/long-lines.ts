import type { DependencyFileParser } from "../dependency-file.ts";
import { toExcerptWithDigest, type UnparsableManifestText } from "../manifest.ts";

/** Longest line, in characters, of a format that is read line by line. */
export const maxManifestLineLength = 65_536;

/** Why a line is not read; `unparsed` shows how it begins. */
export const lineTooLongReason = `line_too_long: it has more than ${maxManifestLineLength.toString()} characters`;

/** Returns the `unparsed` entry of a line that is too long; undefined for any other. */
export function toUnparsedLongLine(text: string, line: number): UnparsableManifestText | undefined {
  return text.length > maxManifestLineLength
    ? { line, ...toExcerptWithDigest(text), reason: lineTooLongReason }
    : undefined;
}

/** Makes a reader pass over lines that are too long; the other lines keep their numbers. */
export function wrapParserSkippingLongLines(read: DependencyFileParser): DependencyFileParser {
  return (text, beside, budget) => {
    const lines = text.split("\n");
    const long = lines.flatMap((line, index) => toUnparsedLongLine(line, index + 1) ?? []);
    if (long.length === 0) return read(text, beside, budget);
    const rest = lines.map((line) => (line.length > maxManifestLineLength ? "" : line)).join("\n");
    const file = read(rest, beside, budget);
    return { ...file, unparsed: [...long, ...file.unparsed] };
  };
}
