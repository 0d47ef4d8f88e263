import { declaredEntriesToDependencyFile, type DeclaredDependencyEntry } from "../declared-file.ts";
import { DependencyFileSyntaxError, type DependencyFile } from "../dependency-file.ts";

/** A module that a go.mod requires. */
interface Requirement {
  readonly path: string;
  readonly version: string;
  readonly line: number;
  readonly isIndirect: boolean;
}

interface Directive {
  readonly verb: string;
  readonly words: readonly string[];
  readonly comment: string;
  readonly line: number;
}

/** What takes the place of a module: another one, or a folder. */
interface Replacement {
  readonly path: string;
  readonly version: string | undefined;
}

/** Reads a go.mod: `require`, with what `replace` puts in its place. */
export function parseGoMod(text: string): DependencyFile {
  const directives = directivesIn(text);
  if (!directives.some(({ verb }) => verb === "module")) {
    throw new DependencyFileSyntaxError("invalid_go_mod: it has no module line", 1);
  }
  return declaredEntriesToDependencyFile("go", entriesIn(directives));
}

/** Reads a go.work: what `replace` puts in place of modules, and modules outside of its folder. */
export function parseGoWork(text: string): DependencyFile {
  const directives = directivesIn(text);
  const outside = directives.flatMap(
    ({ verb, words: [path = ""], line }): DeclaredDependencyEntry[] =>
      verb === "use" && /^(?:\.\.|\/|[a-z]:)/i.test(path)
        ? [{ group: "production", line, text: `use ${path}`, reason: "local" }]
        : [],
  );
  const file = declaredEntriesToDependencyFile("go", [...entriesIn(directives), ...outside]);
  const used = directives.filter(({ verb }) => verb === "use");
  return { ...file, members: used.flatMap(({ words: [path] }) => path ?? []) };
}

function entriesIn(directives: readonly Directive[]): DeclaredDependencyEntry[] {
  const replacements = replacementsIn(directives);
  const requirements = requirementsIn(directives);
  const required = new Set(requirements.map(({ path }) => path));
  // A module that only others require is replaced as well.
  const others = directives.flatMap(({ verb, words: [path = "", version = ""], line }) =>
    verb === "replace" && !required.has(path)
      ? [{ path, version: version === "=>" ? "" : version, line, isIndirect: true }]
      : [],
  );
  return [...requirements, ...others].map((requirement) => entryOf(requirement, replacements));
}

/** Paths and versions that a go.mod requires, and whether it does so only for another module. */
export function parseGoRequirements(text: string): Requirement[] {
  return requirementsIn(directivesIn(text));
}

function entryOf(
  { path, version, line, isIndirect }: Requirement,
  replacements: ReadonlyMap<string, Replacement>,
): DeclaredDependencyEntry {
  const group = "production";
  const to = replacements.get(`${path} ${version}`) ?? replacements.get(path);
  if (to === undefined && version === "") {
    return { group, line, text: path, reason: "reference: its replacement is not read" };
  }
  if (to !== undefined && to.version === undefined) {
    return { group, line, text: `${path} => ${to.path}`, reason: "local" };
  }
  const name = to?.path ?? path;
  const exact = to?.version ?? version;
  return { group, line, name, requested: exact, version: exact, isTransitive: isIndirect };
}

function requirementsIn(directives: readonly Directive[]): Requirement[] {
  return directives.flatMap(({ verb, words: [path, version], comment, line }) =>
    verb === "require" && path !== undefined && version !== undefined
      ? [{ path, version, line, isIndirect: /^indirect\b/.test(comment) }]
      : [],
  );
}

function replacementsIn(directives: readonly Directive[]): ReadonlyMap<string, Replacement> {
  const rows = directives.flatMap(({ verb, words }): [string, Replacement][] => {
    const arrow = words.indexOf("=>");
    const [path, version] = words.slice(arrow + 1);
    if (verb !== "replace" || arrow < 1 || path === undefined) return [];
    const isFolder = /^\.{0,2}\//.test(path);
    return [[words.slice(0, arrow).join(" "), { path, version: isFolder ? undefined : version }]];
  });
  return new Map(rows);
}

/** Lines that say something; those of a block under the word that begins it. */
function directivesIn(text: string): Directive[] {
  const directives: Directive[] = [];
  let block: string | undefined;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const [code = "", ...comments] = raw.split("//");
    const words = wordsOf(code);
    const comment = comments.join("//").trim();
    const [first, second] = words;
    if (first === undefined) continue;
    if (first === ")") block = undefined;
    else if (second === "(" && words.length === 2) block = first;
    else if (block !== undefined) directives.push({ verb: block, words, comment, line: index + 1 });
    else directives.push({ verb: first, words: words.slice(1), comment, line: index + 1 });
  }
  return directives;
}

/** A parenthesis that opens a block needs no space before it. */
function wordsOf(code: string): string[] {
  const text = code.trim().replace(/^(\w+)\($/, "$1 (");
  return text.split(/\s+/).filter(Boolean).map(unquote);
}

function unquote(word: string): string {
  return /^["`](.*)["`]$/.exec(word)?.[1] ?? word;
}
