import {
  includePrereleases,
  toExcerptWithDigest,
  type ManifestDependency,
  type ParsedManifest,
  type UnparsableManifestText,
} from "../manifest.ts";
import { iterateLogicalLines } from "./logical-lines.ts";
import { runPausableParseToEnd, type PausableParse } from "../parse-steps.ts";
import {
  classifyRequirementLine,
  isPrereleaseOption,
  type IncludedRequirementsFile,
} from "./requirement-line.ts";

/** A text that names no package, and the file that it has pip read, if it names one. */
export interface UnparsedRequirementsLine extends UnparsableManifestText {
  readonly include?: IncludedRequirementsFile;
}

/** What a requirements.txt asks for, and its other lines. */
export interface ParsedRequirementsTxt extends ParsedManifest {
  readonly unparsed: readonly UnparsedRequirementsLine[];
  /** Has pip take pre-releases (`--pre`), also of what other files ask for. */
  readonly takesPrereleases: boolean;
}

/** What was parsed of a requirements.txt, and how many rows more it has. */
export interface LimitedRequirements extends ParsedRequirementsTxt {
  readonly omittedRows: number;
}

/** Reads a requirements.txt line by line; a line that cannot be read loses nothing but itself. */
export function parseRequirementsTxt(text: string): ParsedRequirementsTxt {
  return runPausableParseToEnd(parseRequirementsInSteps(text));
}

/** As `parseRequirementsTxt`, with a step for each line. */
export function* parseRequirementsInSteps(text: string): PausableParse<ParsedRequirementsTxt> {
  const dependencies: ManifestDependency[] = [];
  const unparsed: UnparsedRequirementsLine[] = [];
  let takesPrereleases = false;
  for (const row of iterateRequirementRows(text)) {
    yield;
    if (row === "takes_prereleases") takesPrereleases = true;
    else if ("ecosystem" in row) dependencies.push(row);
    else unparsed.push(row);
  }
  return finish({ dependencies, unparsed, takesPrereleases });
}

/** Reads a requirements.txt as `parseRequirementsTxt` does: each requirement once, and at most so many rows. */
export function parseLimitedRequirements(text: string, maxRows: number): LimitedRequirements {
  const dependencies = new Map<string, ManifestDependency>();
  const unparsed: UnparsedRequirementsLine[] = [];
  let [omittedRows, takesPrereleases] = [0, false];
  for (const row of iterateRequirementRows(text)) {
    if (row === "takes_prereleases") {
      takesPrereleases = true;
      continue;
    }
    const hasRoom = dependencies.size + unparsed.length < maxRows;
    if ("ecosystem" in row) {
      const key = `${row.name} ${row.requested ?? ""}`;
      if (dependencies.has(key)) continue;
      if (hasRoom) dependencies.set(key, row);
    } else if (hasRoom) unparsed.push(row);
    if (!hasRoom) omittedRows += 1;
  }
  const all = [...dependencies.values()];
  return { ...finish({ dependencies: all, unparsed, takesPrereleases }), omittedRows };
}

/** The option counts for all lines, also for those before it. */
function finish(read: Omit<ParsedRequirementsTxt, "kind">): ParsedRequirementsTxt {
  const { dependencies, takesPrereleases } = read;
  return {
    ...read,
    kind: "requirements.txt",
    dependencies: takesPrereleases ? dependencies.map(includePrereleases) : dependencies,
  };
}

function* iterateRequirementRows(
  text: string,
): Generator<ManifestDependency | UnparsedRequirementsLine | "takes_prereleases"> {
  const encoding = unreadEncoding(text);
  if (encoding !== undefined) {
    yield { line: 1, ...toExcerptWithDigest(text), reason: `encoding: ${encoding}` };
    return;
  }
  for (const { line, text: content } of iterateLogicalLines(text.replace(/^\uFEFF/, ""))) {
    if (isPrereleaseOption(content)) yield "takes_prereleases";
    const read = classifyRequirementLine(content);
    if (read === "no_dependency") continue;
    if ("dependency" in read) yield { ...read.dependency, line };
    else yield { ...read, line, ...toExcerptWithDigest(content) };
  }
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
