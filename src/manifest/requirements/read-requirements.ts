import {
  toExcerptWithDigest,
  type ManifestDependency,
  type ParsedManifest,
  type UnparsedManifestText,
} from "../manifest.ts";
import { splitLogicalLines } from "./logical-lines.ts";
import { classifyRequirementLine, type IncludedRequirementsFile } from "./requirement-line.ts";

/** A text that names no package, and the file that it has pip read, if it names one. */
export interface UnparsedRequirementsLine extends UnparsedManifestText {
  readonly include?: IncludedRequirementsFile;
}

/** What a requirements.txt asks for, and its other lines. */
export interface ParsedRequirements extends ParsedManifest {
  readonly unparsed: readonly UnparsedRequirementsLine[];
}

/** Reads a requirements.txt line by line; a line that cannot be read loses nothing but itself. */
export function parseRequirements(text: string): ParsedRequirements {
  const dependencies: ManifestDependency[] = [];
  const unparsed: UnparsedRequirementsLine[] = [];
  const encoding = unreadEncoding(text);
  if (encoding !== undefined) {
    const row = { line: 1, ...toExcerptWithDigest(text), reason: `encoding: ${encoding}` };
    return { kind: "requirements.txt", dependencies, unparsed: [row] };
  }
  for (const { line, text: content } of splitLogicalLines(text.replace(/^\uFEFF/, ""))) {
    const read = classifyRequirementLine(content);
    if (read === "no_dependency") continue;
    if ("dependency" in read) dependencies.push({ ...read.dependency, line });
    else unparsed.push({ ...read, line, ...toExcerptWithDigest(content) });
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
