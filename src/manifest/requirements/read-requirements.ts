import {
  textToReport,
  type ManifestDependency,
  type ReadManifest,
  type UnparsedText,
} from "../manifest.ts";
import { logicalLines } from "./logical-lines.ts";
import { readRequirementLine, type IncludedFile } from "./requirement-line.ts";

/** A text that names no package, and the file that it has pip read, if it names one. */
export interface UnparsedLine extends UnparsedText {
  readonly include?: IncludedFile;
}

/** What a requirements.txt asks for, and its other lines. */
export interface Requirements extends ReadManifest {
  readonly unparsed: readonly UnparsedLine[];
}

/** Reads a requirements.txt line by line; a line that cannot be read loses nothing but itself. */
export function readRequirements(text: string): Requirements {
  const dependencies: ManifestDependency[] = [];
  const unparsed: UnparsedLine[] = [];
  const encoding = unreadEncoding(text);
  if (encoding !== undefined) {
    const row = { line: 1, ...textToReport(text), reason: `encoding: ${encoding}` };
    return { kind: "requirements.txt", dependencies, unparsed: [row] };
  }
  for (const { line, text: content } of logicalLines(text.replace(/^\uFEFF/, ""))) {
    const read = readRequirementLine(content);
    if (read === "no_dependency") continue;
    if ("dependency" in read) dependencies.push({ ...read.dependency, line });
    else unparsed.push({ ...read, line, ...textToReport(content) });
  }
  return { kind: "requirements.txt", dependencies, unparsed };
}

/**
 * Why pip would see another text than this, which was decoded as UTF-8: it decodes by a byte
 * order mark, else by what a comment in the first two lines declares. ASCII is the same in
 * Latin-1; other bytes are not, and one of them ends a line there.
 */
function unreadEncoding(text: string): string | undefined {
  if (text.includes("\uFFFD")) return "it is not UTF-8";
  const declared = text
    .split("\n", 2)
    .filter((line) => /^\uFEFF?#/.test(line))
    .flatMap((line) => /coding[:=]\s*([-\w.]+)/.exec(line)?.[1] ?? [])
    .find((name) => !/^utf[-_]?8(?:[-_]sig)?$/i.test(name));
  if (declared === undefined) return undefined;
  const isAscii = !/\P{ASCII}/u.test(text);
  const isSubset = /^(?:us[-_])?ascii$|^(?:latin|iso[-_]?8859)[-_]?1$/i.test(declared);
  return isAscii && isSubset ? undefined : "it declares one that is not read";
}
