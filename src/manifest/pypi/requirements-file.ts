import { posix } from "node:path";
import { declaredEntriesToDependencyFile, type DeclaredDependencyEntry } from "../declared-file.ts";
import type {
  SiblingFileReader,
  DependencyFile,
  ManifestParseBudget,
  UnparsableDependencyFileText,
} from "../dependency-file.ts";
import { memoizeRecentParses } from "../document/recent-texts.ts";
import { mergeDependencyFiles } from "../join-files.ts";
import { includePrereleases, toExcerptWithDigest, type ManifestDependency } from "../manifest.ts";
import { packageJsonToDependencyFile } from "../npm/package-json-file.ts";
import { findPinnedPep440Version } from "../requirements/pep508.ts";
import {
  parseLimitedRequirements,
  parseRequirementsTxt,
  type ParsedRequirementsTxt,
} from "../requirements/read-requirements.ts";
import type { IncludedRequirementsFile } from "../requirements/requirement-line.ts";
import { normalizePypiProjectName } from "./project-name.ts";

/** What is read of a file and of those that it includes. */
interface Parts {
  readonly requirements: ManifestDependency[];
  readonly unparsed: UnparsableDependencyFileText[];
  /** Specifiers of `-c` by the name of the package, for requirements of other files. */
  readonly constraints: Map<string, Constraint[]>;
  /** Any of the files has `--pre`, which pip knows once for all of them. */
  takesPrereleases: boolean;
}

interface Constraint {
  readonly name: string;
  readonly requested: string;
  /** In the file that is read. */
  readonly line?: number;
}

/** Reads a requirements.txt and the files that it includes (`-r`) or is held to (`-c`). */
export function parseRequirementsFile(
  text: string,
  beside: SiblingFileReader,
  budget?: ManifestParseBudget,
): DependencyFile {
  const own = parseLimitedRequirements(text, budget?.rowsLeft ?? Infinity);
  const file = readParts(
    (parts, reading) => readInto(parts, own, undefined, reading),
    beside,
    budget,
  );
  const { omittedRows } = own;
  return { ...(pipCompiled(text) ? withComments(file, text) : file), omittedRows };
}

/** Reads a constraints.txt: versions of what is asked for elsewhere. */
export function parseConstraintsFile(
  text: string,
  beside: SiblingFileReader,
  budget?: ManifestParseBudget,
): DependencyFile {
  const own = parseLimitedRequirements(text, budget?.rowsLeft ?? Infinity);
  const file = readParts(
    (parts, reading) => readInto(parts, own, undefined, { ...reading, isConstraint: true }),
    beside,
    budget,
  );
  return { ...file, omittedRows: own.omittedRows };
}

function readParts(
  read: (parts: Parts, reading: Reading) => void,
  beside: SiblingFileReader,
  budget: ManifestParseBudget | undefined,
): DependencyFile {
  const parts: Parts = {
    requirements: [],
    unparsed: [],
    constraints: new Map(),
    takesPrereleases: false,
  };
  read(parts, { beside, budget, seen: new Set<string>(), depth: 0, isConstraint: false });
  const constrained = parts.requirements.map((dependency) => constrain(dependency, parts));
  const dependencies = parts.takesPrereleases ? constrained.map(includePrereleases) : constrained;
  return mergeDependencyFiles([
    packageJsonToDependencyFile({ kind: "requirements.txt", dependencies, unparsed: [] }),
    declaredEntriesToDependencyFile("pypi", constraintEntries(parts)),
    { dependencies: [], unparsed: parts.unparsed },
  ]);
}

/** Constraints of packages that nothing here asks for: they are installed if anything needs them. */
function constraintEntries(parts: Parts): DeclaredDependencyEntry[] {
  const { requirements, constraints, takesPrereleases } = parts;
  const asked = new Set(requirements.map(({ name }) => normalizePypiProjectName(name)));
  return [...constraints]
    .filter(([name]) => !asked.has(name))
    .flatMap(([, held]) => held)
    .map((each): DeclaredDependencyEntry => {
      const version = findPinnedPep440Version(each.requested);
      const group = "constraint";
      return version === undefined
        ? { ...each, group, constraint: takesPrereleases ? "range_with_prereleases" : "range" }
        : { ...each, group, version };
    });
}

/** Where a file of another format asks for requirements. */
export interface RequirementsFileReferrerLocation {
  readonly group: string;
  readonly line: number | undefined;
}

/** Reads files of requirements that a file of another format names. */
export function parseReferencedRequirementFiles(
  paths: readonly string[],
  place: RequirementsFileReferrerLocation,
  beside: SiblingFileReader,
  budget?: ManifestParseBudget,
): DependencyFile {
  const file = readParts(
    (parts, reading) => {
      for (const path of paths) {
        const reason = "include: only files below the folder are read";
        const isBelow = !/^[/\\~]|:/.test(path);
        const left = isBelow
          ? readIncluded(parts, { path, isConstraint: false }, undefined, reading, reason)
          : reason;
        if (left !== undefined) parts.unparsed.push({ ...toExcerptWithDigest(path), reason: left });
      }
    },
    beside,
    budget,
  );
  return assignRequirementsToReferenceLine(file, place);
}

/** Gives requirements the place where another file asks for them; included files keep their lines. */
export function assignRequirementsToReferenceLine(
  { dependencies, unparsed }: DependencyFile,
  { group, line }: RequirementsFileReferrerLocation,
): DependencyFile {
  const at = line === undefined ? {} : { line };
  return {
    dependencies: dependencies.map((each) => {
      const { line: _, ...rest } = each;
      const isConstraint = each.groups.includes("constraint");
      return { ...rest, groups: isConstraint ? each.groups : [group], ...at };
    }),
    unparsed: unparsed.map((part) => {
      if (part.file !== undefined) return part;
      const { line: _, ...rest } = part;
      return { ...rest, ...at };
    }),
  };
}

/** A pinned version stays, also the first that a constraint pins; ranges are joined. */
function constrain(dependency: ManifestDependency, { constraints }: Parts): ManifestDependency {
  const held = constraints.get(normalizePypiProjectName(dependency.name)) ?? [];
  const specifiers = held.map(({ requested }) => requested);
  if (dependency.version !== undefined || specifiers.length === 0) return dependency;
  const version = specifiers.flatMap((specifier) => findPinnedPep440Version(specifier) ?? [])[0];
  if (version === undefined) {
    const requested = [dependency.requested ?? [], specifiers].flat().join(",");
    return { ...dependency, requested, constraint: "range" };
  }
  const { constraint: _, ...rest } = dependency;
  return { ...rest, requested: dependency.requested ?? `==${version}`, version };
}

interface Reading {
  readonly beside: SiblingFileReader;
  readonly budget: ManifestParseBudget | undefined;
  readonly seen: Set<string>;
  /** The number of includes that lead to the text. */
  readonly depth: number;
  /** Whether its lines ask for nothing by themselves. What a `-r` among them names does. */
  readonly isConstraint: boolean;
}

/** Links can give one file any number of paths, each of which includes the next. */
const maxDepth = 20;

/** Files of requirements that are stored while others include them. */
const maxIncludedFiles = 8;

const parseIncluded = memoizeRecentParses(parseRequirementsTxt, maxIncludedFiles);

/** `file` is the path of the text from the file that is read; undefined for that file itself. */
function readInto(
  parts: Parts,
  { dependencies, unparsed, takesPrereleases }: ParsedRequirementsTxt,
  file: string | undefined,
  reading: Reading,
): void {
  const place = file === undefined ? {} : { file };
  if (takesPrereleases) parts.takesPrereleases = true;
  // Not spread: the arguments of a call go on the stack.
  for (const dependency of dependencies) {
    if (reading.isConstraint) noteConstraint(parts, dependency, place);
    else parts.requirements.push(dependency);
  }
  for (const { include, ...row } of unparsed) {
    const reason =
      include === undefined ? row.reason : readIncluded(parts, include, file, reading, row.reason);
    if (reason !== undefined) parts.unparsed.push({ ...row, ...place, reason });
  }
}

/** Reads what a line includes. Returns undefined if that was done, else the reason. */
function readIncluded(
  parts: Parts,
  { path, isConstraint }: IncludedRequirementsFile,
  file: string | undefined,
  reading: Reading,
  usualReason: string,
): string | undefined {
  const folder = file === undefined ? "." : posix.dirname(file);
  const included = posix.join(folder, path);
  // pip installs from a file that was only a constraint before.
  const key = `${isConstraint ? "-c" : "-r"} ${included}`;
  if (reading.seen.has(key)) return undefined;
  if (reading.depth === maxDepth) return "include: includes nest too deep";
  let reason = usualReason;
  // Not normalized: where a folder is a link, `..` leads elsewhere.
  const text = reading.beside(`${folder}/${path}`, (skipped) => {
    reason = `include: ${skipped}`;
  });
  if (text === undefined) return reason;
  const requirements = parseIncluded(text);
  const rows = requirements.dependencies.length + requirements.unparsed.length;
  if (reading.budget !== undefined && reading.budget.takeRows(rows) < rows) {
    return "include: too_many: it has more rows than the audit has room for";
  }
  reading.seen.add(key);
  readInto(parts, requirements, included, { ...reading, depth: reading.depth + 1, isConstraint });
  return undefined;
}

/** Each specifier is tried on each mention of the package. */
const maxConstraints = 20;

function noteConstraint(
  { constraints, unparsed }: Parts,
  { name, requested, line }: ManifestDependency,
  place: Pick<UnparsableDependencyFileText, "file">,
): void {
  if (requested === null) return;
  const key = normalizePypiProjectName(name);
  const known = constraints.get(key) ?? [];
  constraints.set(key, known);
  const isHere = place.file === undefined && line !== undefined;
  if (known.length < maxConstraints) known.push({ name, requested, ...(isHere && { line }) });
  else {
    const part = toExcerptWithDigest(`${name}${requested}`);
    const reason = `invalid_specifier: more than ${maxConstraints.toString()} constraints`;
    unparsed.push({ ...place, ...(line !== undefined && { line }), ...part, reason });
  }
}

function pipCompiled(text: string): boolean {
  return /(?:^|\n)# This file (is|was) autogenerated by (pip-compile|uv)/.test(text);
}

/** pip-compile and uv write under each line who needs it (`# via flask`). */
function withComments(file: DependencyFile, text: string): DependencyFile {
  const needed = viaComments(text);
  const names = new Map(
    file.dependencies.map(({ name }) => [normalizePypiProjectName(name), name]),
  );
  const parents = new Map([...needed].map(([name, by]) => [name, parentsOf(by, names)] as const));
  const dependencies = file.dependencies.map((dependency) => {
    const by = parents.get(normalizePypiProjectName(dependency.name));
    if (by === undefined) return dependency;
    const paths = by.map((name) => [name, dependency.name]);
    return { ...dependency, relation: "transitive" as const, paths };
  });
  return { ...file, dependencies };
}

/** The first three that need a package; undefined where the project itself asks for it. */
function parentsOf(
  by: readonly string[],
  names: ReadonlyMap<string, string>,
): readonly string[] | undefined {
  const parents = by.flatMap((name) => names.get(normalizePypiProjectName(name)) ?? []);
  return by.length === 0 || parents.length < by.length ? undefined : parents.slice(0, 3);
}

function viaComments(text: string): ReadonlyMap<string, readonly string[]> {
  const needed = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [name] = /^[A-Za-z0-9][\w.-]*/.exec(line) ?? [];
    if (name !== undefined) {
      current = [];
      needed.set(normalizePypiProjectName(name), current);
    }
    for (const each of viaNames(line, name !== undefined)) current.push(each);
  }
  return needed;
}

/** Names in the comment behind a requirement, or on a line of its own below it. */
function viaNames(line: string, isBehind: boolean): string[] {
  const hash = line.indexOf("#");
  const isIndented = hash > 0 && line.slice(0, hash).trim() === "";
  if (hash === -1 || !(isBehind || isIndented)) return [];
  const comment = line.slice(hash + 1).trim();
  const isVia = /^via(?!\S)/.test(comment);
  if (isBehind && !isVia) return [];
  const names = (isVia ? comment.slice("via".length) : comment).split(",");
  return names.map((each) => each.trim()).filter(Boolean);
}
