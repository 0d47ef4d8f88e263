import type { DeclaredEntry } from "../declared-file.ts";
import type { GradleVersionCatalog } from "./gradle-catalog.ts";
import type { GradleCode, GradleStatement } from "./gradle-code.ts";
import { expandGradleVariables } from "./gradle-variables.ts";

/** Words of Gradle that add a dependency; projects have words of their own that end alike. */
const configuration =
  /(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[cC]ompile|[rR]untime|classpath|[kK]apt|ksp|[aA]nnotationProcessor|[pP]rovided|[dD]evelopmentOnly|[dD]esugaring|detektPlugins|constraints?)$/;

interface At {
  readonly group: string;
  readonly line: number;
}

/** The values to which the calls of a build refer. */
interface Known {
  readonly catalog: GradleVersionCatalog;
  readonly variables: ReadonlyMap<string, string>;
  readonly isRepeated: (text: string) => boolean;
}

/**
 * Returns the reader of the calls that add dependencies. A bundle, which may stand for many
 * libraries on many lines, is read once.
 */
export function createGradleCallReader(
  catalog: GradleVersionCatalog,
  variables: ReadonlyMap<string, string>,
): (statement: GradleStatement) => DeclaredEntry[] {
  const known = { catalog, variables, isRepeated: repetitions() };
  return ({ code, plain, line }) => {
    const at = { group: "production", line };
    if (/(?<![\w.])apply\b[\s(]*from\b/.test(plain)) {
      return [{ ...at, text: code, reason: "include: the script is not read" }];
    }
    const { word, rest } = callOn(code);
    if (!configuration.test(word) || !/^[("'[]|^\w+\s*(?:[:.([,]|$)/.test(rest)) {
      return namesPackage(code, plain)
        ? [{ ...at, text: code, reason: "expression: the call is not known" }]
        : [];
    }
    const group = /test/i.test(word) ? "test" : "production";
    const call = { code: rest, plain: plain.slice(plain.length - rest.length) };
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

/** The word that begins a call, also in `add("word", …)`, and what follows it. */
function callOn(call: string): { readonly word: string; readonly rest: string } {
  const code = call.replace(/^add\(\s*["']/, "").replace(/^["'](?=\w{1,100}["']\()/, "");
  const [word = ""] = /^\w+/.exec(code) ?? [];
  const rest = code.slice(word.length).replace(/^["']/, "").trimStart();
  return { word, rest: rest.replace(/^,/, "").trimStart() };
}

/** Whether a call names a package: by coordinates, by the parts of a name, or by the version catalogue. */
function namesPackage(code: string, plain: string): boolean {
  if (/^(?:import|package|exclude|tasks?)\b/.test(code)) return false;
  return (
    hasCoordinates(code) ||
    /\buseVersion\b/.test(plain) ||
    (/\bgroup\s{0,20}[:=](?!=)/.test(plain) && /\bname\s{0,20}[:=](?!=)/.test(plain)) ||
    aliasesIn(plain).some((alias) => !/^(?:versions|plugins)\b/.test(alias))
  );
}

/** Whether a call has coordinates in quotes: with a version, a variable for it, or a group with a dot. */
function hasCoordinates(code: string): boolean {
  return (
    /["'][A-Za-z][\w.-]{0,100}:[A-Za-z][\w.-]{0,100}:[\w.+${}-]{1,100}["']/.test(code) ||
    /["'][A-Za-z][\w-]{0,100}\.[\w.-]{1,100}:[A-Za-z][\w.-]{0,100}["']/.test(code)
  );
}

/** Reads the packages that a call adds, and one entry if any of its arguments cannot be read. */
function callEntries(call: GradleCode, at: At, known: Known): DeclaredEntry[] {
  const named = namedParts(call.code);
  const found = named.map((parts) => entryOf(parts, call.code, at, known.variables));
  let isRead = named.length > 0;
  let isUnread = [...call.plain.matchAll(/\bgroup\s{0,20}[:=](?!=)/g)].length > named.length;
  for (const { code, plain, isBehind } of argumentsIn(call)) {
    const entries = argumentEntries({ code, plain }, call.code, at, known);
    found.push(...(entries ?? []));
    if (entries !== undefined || isPartOfProject(plain)) isRead = true;
    else if (!isBehind && !/^[\s[\]]*$/.test(plain) && !option.test(plain)) isUnread = true;
  }
  if (isRead && !isUnread) return found;
  return [...found, { ...at, text: call.code, reason: "expression: it is no text" }];
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

/** Undefined for an expression. */
function argumentEntries(
  { code, plain }: GradleCode,
  call: string,
  at: At,
  { catalog, variables, isRepeated }: Known,
): DeclaredEntry[] | undefined {
  if (/^[\s[]*(?:files|fileTree)\b/.test(plain)) return [{ ...at, text: call, reason: "local" }];
  const coordinates = coordinatesIn(code);
  const libraries = aliasesIn(plain).map((alias) => {
    const found = catalog.libraries.get(alias);
    if (found === undefined) return undefined;
    return isRepeated(`${at.group} ${alias}`) ? [] : found.map((each) => ({ ...each, ...at }));
  });
  if (coordinates.length > 0 || libraries.length > 0) {
    const unread = { ...at, text: call, reason: "expression: it is no text" };
    const areKnown = libraries.every((each) => each !== undefined);
    return [
      ...coordinates.map((each) => entryOf(each, call, at, variables)),
      ...libraries.flatMap((each): readonly DeclaredEntry[] => each ?? []),
      ...(areKnown ? [] : [unread]),
    ];
  }
  const [, kotlin] = /^\s*kotlin\(\s*["']([\w-]+)["']/.exec(code) ?? [];
  return kotlin === undefined
    ? undefined
    : [{ ...at, name: `org.jetbrains.kotlin:kotlin-${kotlin}`, requested: null }];
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

/** Each `'group:artifact:version:classifier@type'`. */
function coordinatesIn(code: string): readonly (readonly (string | undefined)[])[] {
  const form = /["']([\w.${}-]+):([\w.${}-]+)(?::([^:@"']*))?(?::[^"']*)?(?:@\w+)?["']/g;
  return [...code.matchAll(form)].map(([, ...parts]) => parts);
}

/** `group: 'g', name: 'a', version: 'v'`, also with `=`, of each map of a call. */
function namedParts(code: string): readonly (readonly (string | undefined)[])[] {
  return code.split(/\]\s*,\s*\[/).flatMap((part) => {
    const [group, artifact, version] = [
      /\bgroup\s*[:=]\s*["']([^"']*)["']/,
      /\bname\s*[:=]\s*["']([^"']*)["']/,
      /\bversion\s*[:=]\s*["']([^"']*)["']/,
    ].map((form) => form.exec(part)?.[1]);
    return group === undefined || artifact === undefined ? [] : [[group, artifact, version]];
  });
}

function entryOf(
  [group = "", artifact = "", given]: readonly (string | undefined)[],
  text: string,
  at: At,
  variables: ReadonlyMap<string, string>,
): DeclaredEntry {
  const name = expandGradleVariables(`${group}:${artifact}`, variables);
  const requested =
    given === undefined || given === "" ? null : expandGradleVariables(given, variables);
  if (name.includes("$") || requested?.includes("$") === true) {
    return { ...at, text, reason: "expression: a variable has no text here" };
  }
  const isExact = requested !== null && !/[[\](,+]|^latest\./.test(requested);
  return { ...at, name, requested, ...(isExact && { version: requested.split("!!", 1)[0] ?? "" }) };
}
