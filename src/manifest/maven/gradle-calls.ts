import type { DeclaredDependencyEntry } from "../declared-file.ts";
import type { GradleCatalogLibrary, GradleVersionCatalog } from "./gradle-catalog.ts";
import type { GradleCode, GradleStatement } from "./gradle-code.ts";
import {
  findGradleCoordinates,
  findNamedGradleCoordinates,
  type GradleCoordinates,
} from "./gradle-coordinates.ts";
import { foldGradleConcatenations, findGradleStringLiterals } from "./gradle-values.ts";
import { expandGradleVariables } from "./gradle-variables.ts";
import { appendAll } from "../../platform/append-all.ts";

/** Words of Gradle that add a dependency; projects have words of their own that end alike. */
const configuration =
  /(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[cC]ompile|[rR]untime|classpath|[kK]apt|ksp|[aA]nnotationProcessor|[pP]rovided|[dD]evelopmentOnly|[dD]esugaring|detektPlugins|constraints?)$/;

interface At {
  readonly group: string;
  readonly line: number;
}

/** A call without its first word, and the statement as the build has it. */
interface DependencyCall extends GradleCode {
  readonly text: string;
  /** The version that the block of the call declares: null for none, undefined if it is computed. */
  readonly version: string | null | undefined;
}

/** The values to which the calls of a build refer. */
interface Known {
  readonly catalog: GradleVersionCatalog;
  readonly variables: ReadonlyMap<string, string>;
  readonly isRepeated: (text: string) => boolean;
}

/**
 * Returns the reader of the calls that add dependencies, and of the version that their blocks
 * declare (null for none, undefined if it is computed). A bundle, which may stand for many
 * libraries on many lines, is read once.
 */
export function createGradleDependencyCallReader(
  catalog: GradleVersionCatalog,
  variables: ReadonlyMap<string, string>,
): (statement: GradleStatement, version: string | null | undefined) => DeclaredDependencyEntry[] {
  const known = { catalog, variables, isRepeated: repetitions() };
  return (statement, version) => {
    const at = { group: "production", line: statement.line };
    const { code, plain } = foldGradleConcatenations(statement, variables);
    if (/(?<![\w.])apply\b[\s(]*from\b/.test(plain)) {
      return [{ ...at, text: statement.code, reason: "include: the script is not read" }];
    }
    const { word, rest } = callOn(code);
    if (!configuration.test(word) || !/^[("'[]|^\w+\s*(?:[:.([,]|$)/.test(rest)) {
      return namesPackage(code, plain)
        ? [{ ...at, text: statement.code, reason: "expression: the call is not known" }]
        : [];
    }
    const group = /test/i.test(word) ? "test" : "production";
    const text = callOn(statement.code).rest;
    const call = { code: rest, plain: plain.slice(plain.length - rest.length), text, version };
    return callEntries(call, { ...at, group }, known);
  };
}

/** Whether a text was seen before. */
function repetitions(): (text: string) => boolean {
  const seen = new Set<string>();
  return (text) => {
    const isRepeated = seen.has(text);
    seen.add(text);
    return isRepeated;
  };
}

/** A call that adds to the dependencies of a project, up to the name of the configuration. */
const addition = /^(?:(?:\w{1,100}\.){0,5}dependencies\.)?add\(\s*["']/;

/** The word that begins a call, also in `dependencies.add("word", …)`, and what follows it. */
function callOn(call: string): { readonly word: string; readonly rest: string } {
  const code = call.replace(addition, "").replace(/^["'](?=\w{1,100}["']\()/, "");
  const [word = ""] = /^\w+/.exec(code) ?? [];
  const rest = code.slice(word.length).replace(/^["']/, "").trimStart();
  return { word, rest: rest.replace(/^,/, "").trimStart() };
}

/** Calls that name packages or versions in forms of their own: of test suites, and of the plugin of Spring. */
const packageCall =
  /(?<![\w.])(?:useVersion\b|dependencySet\b|use(?:JUnit|JUnitJupiter|KotlinTest|Spock|TestNG)[\s(]{1,20}["'])/;

/** Whether a call names a package: by coordinates, by the parts of a name, or by the version catalogue. */
function namesPackage(code: string, plain: string): boolean {
  if (/^(?:import|package|exclude|tasks?)\b/.test(code)) return false;
  if (addition.test(code) && !code.startsWith("add(")) return !isPartOfProject(plain);
  return (
    hasCoordinates(code) ||
    packageCall.test(plain) ||
    (/\bgroup\s{0,20}[:=](?!=)/.test(plain) && /\bname\s{0,20}[:=](?!=)/.test(plain)) ||
    (/["']group["']\s{0,20}to\b/.test(code) && /["']name["']\s{0,20}to\b/.test(code)) ||
    aliasesIn(plain).some((alias) => !/^(?:versions|plugins)\b/.test(alias))
  );
}

/** Whether a call has coordinates in quotes: with a version, a variable for it, or a group with a dot. */
function hasCoordinates(code: string): boolean {
  return (
    /["'][A-Za-z$][\w.${}-]{0,100}:[A-Za-z$][\w.${}-]{0,100}:[\w.+${}-]{0,100}["']/.test(code) ||
    /["'][A-Za-z][\w-]{0,100}\.[\w.-]{1,100}:[A-Za-z][\w.-]{0,100}["']/.test(code)
  );
}

/** Reads the packages that a call adds, and one entry if any of its arguments cannot be read. */
function callEntries(call: DependencyCall, at: At, known: Known): DeclaredDependencyEntry[] {
  const named = findNamedGradleCoordinates(call, known.variables);
  const found = named.flatMap((each) =>
    each === undefined ? [] : [entryOf(each, call, at, known.variables)],
  );
  const groups = [...call.plain.matchAll(/\bgroup\s{0,20}[:=](?!=)/g)];
  let isRead = named.length > 0;
  let isUnread = groups.length > found.length || call.version === undefined;
  for (const { code, plain, isBehind } of argumentsIn(call)) {
    const argument = argumentEntries({ code, plain }, call, at, known);
    appendAll(found, argument.entries);
    if (argument.isRead || isPartOfProject(plain)) isRead = true;
    else if (!isBehind && !/^[\s[\]]*$/.test(plain) && !option.test(plain)) isUnread = true;
    if (argument.isComputed) isUnread = true;
  }
  const entries = call.version === undefined ? found.filter((each) => "reason" in each) : found;
  if (isRead && !isUnread) return entries;
  return [...entries, { ...at, text: call.text, reason: "expression: it is no text" }];
}

/** Arguments that say more of the package that others name. */
const option =
  /^[\s[]*(?:group|name|version|ext|type|classifier|configuration|targetConfiguration|transitive|isTransitive|changing|isChanging|branch)\s*[:=](?!=)/;

/** Whether an argument is a part of the project or of Gradle. */
function isPartOfProject(plain: string): boolean {
  return /\bproject\s*\(|\bprojects\.|^[\s[]*(?:gradle(?:Api|TestKit)\(|localGroovy)/.test(plain);
}

/** Splits a call at its commas, also in a list, and at its end. */
function argumentsIn({
  code,
  plain,
}: GradleCode): readonly (GradleCode & { readonly isBehind: boolean })[] {
  const start = plain.startsWith("(") ? 1 : 0;
  const found: (GradleCode & { readonly isBehind: boolean })[] = [];
  let depth = 0;
  let from = start;
  for (const { 0: mark, index } of plain.slice(start).matchAll(/[(),]/g)) {
    if (mark === "(") depth += 1;
    else if (depth > 0) depth -= mark === ")" ? 1 : 0;
    else {
      add(start + index, false);
      if (mark === ")") break;
    }
  }
  const isClosed = plain[from - 1] === ")";
  add(plain.length, isClosed);
  return found;

  function add(to: number, isBehind: boolean): void {
    found.push({ code: code.slice(from, to), plain: plain.slice(from, to), isBehind });
    from = to + 1;
  }
}

/** Result of reading an argument. */
interface ReadArgument {
  readonly entries: readonly DeclaredDependencyEntry[];
  /** Whether it names a package or files. */
  readonly isRead: boolean;
  /** Whether it may name a further package, or a version, that the program computes. */
  readonly isComputed: boolean;
}

function argumentEntries(
  { code, plain }: GradleCode,
  call: DependencyCall,
  at: At,
  { catalog, variables, isRepeated }: Known,
): ReadArgument {
  if (/^[\s[]*(?:files|fileTree)\b/.test(plain)) {
    return {
      entries: [{ ...at, text: call.text, reason: "local" }],
      isRead: true,
      isComputed: false,
    };
  }
  const kotlin = kotlinLibrary({ code, plain });
  const { coordinates, isComputed } = findGradleCoordinates({ code, plain });
  const libraries = aliasesIn(plain).map((alias) => {
    const found = catalog.libraries.get(alias);
    if (found === undefined || !isRepeated(`${at.group} ${alias}`)) return found;
    return [];
  });
  const named = [...(kotlin === undefined ? [] : [kotlin]), ...coordinates];
  return {
    entries: [
      ...named.map((each) => entryOf(each, call, at, variables)),
      ...libraries.flatMap((each = []) => each.map((one) => libraryEntry(one, call, at))),
    ],
    isRead: named.length > 0 || libraries.length > 0,
    isComputed:
      (named.length > 0 || libraries.length > 0) && (isComputed || libraries.includes(undefined)),
  };
}

/** `kotlin("stdlib", "1.9")`. */
function kotlinLibrary(argument: GradleCode): GradleCoordinates | undefined {
  const plain = argument.plain.replaceAll(/\s/g, "");
  if (!/^kotlin\(["'](?:,["'])?\)?$/.test(plain)) return undefined;
  const [artifact, version] = findGradleStringLiterals(argument).map(({ text }) => text);
  if (artifact === undefined || !/^[\w-]+$/.test(artifact)) return undefined;
  return {
    group: "org.jetbrains.kotlin",
    artifact: `kotlin-${artifact}`,
    version: version ?? null,
  };
}

/** A library of the catalogue in the version that the block of the call declares. */
function libraryEntry(
  library: GradleCatalogLibrary,
  call: DependencyCall,
  at: At,
): DeclaredDependencyEntry {
  if (call.version === null || call.version === undefined) return { ...library, ...at };
  return { ...at, name: library.name, ...versionMembers(call.version) };
}

/**
 * `spring.boot` of each `libs.spring.boot` and `libs.spring.boot.get()`; empty for a library that a
 * call finds.
 */
function aliasesIn(plain: string): readonly string[] {
  const accessors = plain.matchAll(/(?<!\w)libs((?:\s{0,9}\??\s{0,9}\.\s{0,9}\w+)+)(\s{0,9}\()?/g);
  return [...accessors].map(([, path = "", call]) => {
    const words = path.replaceAll(/[\s?]/g, "").split(".").slice(1);
    const last = call === undefined ? undefined : words.pop();
    return last === "findVersion" || last === "findPlugin" ? "versions" : words.join(".");
  });
}

function entryOf(
  { group, artifact, version }: GradleCoordinates,
  call: DependencyCall,
  at: At,
  variables: ReadonlyMap<string, string>,
): DeclaredDependencyEntry {
  const name = expandGradleVariables(`${group}:${artifact}`, variables);
  const given = call.version ?? version;
  const requested = given === null ? null : expandGradleVariables(given, variables);
  if (name.includes("$") || requested?.includes("$") === true) {
    return { ...at, text: call.text, reason: "expression: a variable has no text here" };
  }
  return { ...at, name, ...versionMembers(requested) };
}

function versionMembers(requested: string | null): {
  readonly requested: string | null;
  readonly version?: string;
} {
  const isExact = requested !== null && !/[[\](,+]|^latest\./.test(requested);
  return { requested, ...(isExact && { version: requested.split("!!", 1)[0] ?? "" }) };
}
