import { declaredFile, type DeclaredEntry } from "../declared-file.ts";
import type { Beside, DependencyFile } from "../dependency-file.ts";
import { expandProperties } from "../document/expand-properties.ts";
import { withoutBlocks } from "../document/long-lines.ts";
import { gradleCatalog, type CatalogLibrary } from "./gradle-catalog.ts";

/** Words of Gradle that add a dependency; projects have words of their own that end alike. */
const configuration =
  /(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[cC]ompile|[rR]untime|classpath|[kK]apt|ksp|[aA]nnotationProcessor|[pP]rovided|[dD]evelopmentOnly|[dD]esugaring|detektPlugins|constraints?)$/;

/**
 * Reads a build.gradle or build.gradle.kts as far as a program can be read:
 * coordinates in quotes, `group:`/`name:`/`version:`, a version catalogue, and
 * variables that are texts of the same file or of gradle.properties. Other
 * expressions are unparsed.
 */
export function readBuildGradle(text: string, beside: Beside): DependencyFile {
  const variables = variablesIn(`${beside("gradle.properties") ?? ""}\n${text}`);
  const catalog = gradleCatalog(beside);
  const isRepeated = repetitions();
  const entries = withoutComments(text)
    .split("\n")
    .flatMap((line, index) => {
      const { word, rest } = callOn(line);
      if (!configuration.test(word) || !/^[("']|^\w+\s*[:.(]/.test(rest)) return [];
      const group = /test/i.test(word) ? "test" : "production";
      const alias = catalogAlias(rest);
      if (catalog.has(alias) && isRepeated(`${group} ${alias}`)) return [];
      return entriesOf(rest, { group, line: index + 1 }, variables, catalog);
    });
  return declaredFile("maven", entries);
}

/** The word that begins a line, also in `add("word", …)`, and what follows it. */
function callOn(line: string): { readonly word: string; readonly rest: string } {
  const code = line.trim().replace(/^add\(\s*["']/, "");
  const [word = ""] = /^\w+/.exec(code) ?? [];
  const rest = code.slice(word.length).replace(/^["']/, "").trimStart();
  return { word, rest: rest.replace(/^,/, "").trimStart() };
}

/** Whether a text was seen before: a bundle may stand for many libraries on many lines. */
function repetitions(): (text: string) => boolean {
  const seen = new Set<string>();
  return (text) => {
    const isRepeated = seen.has(text);
    seen.add(text);
    return isRepeated;
  };
}

interface At {
  readonly group: string;
  readonly line: number;
}

function entriesOf(
  rest: string,
  at: At,
  variables: ReadonlyMap<string, string>,
  catalog: ReadonlyMap<string, readonly CatalogLibrary[]>,
): DeclaredEntry[] {
  // Parts of the project itself are none of anybody else's.
  if (/\bproject\s*\(|\bprojects\.|^\(?\s*gradle(Api|TestKit)\(|^\(?\s*localGroovy/.test(rest)) {
    return [];
  }
  if (/^[(\s]*(files|fileTree)\b/.test(rest)) return [{ ...at, text: rest, reason: "local" }];
  const coordinates = coordinatesIn(rest) ?? namedParts(rest);
  if (coordinates !== undefined) return [entryOf(coordinates, rest, at, variables)];
  const libraries = catalog.get(catalogAlias(rest));
  if (libraries !== undefined) return libraries.map((library) => ({ ...library, ...at }));
  const [, kotlin] = /^\(\s*kotlin\(\s*["']([\w-]+)["']/.exec(rest) ?? [];
  if (kotlin !== undefined) {
    return [{ ...at, name: `org.jetbrains.kotlin:kotlin-${kotlin}`, requested: null }];
  }
  return [{ ...at, text: rest, reason: "expression: it is no text" }];
}

/** `spring.boot` of `(libs.spring.boot)`, `(libs.spring.boot.get()) {`; empty for all else. */
function catalogAlias(rest: string): string {
  const code = rest.slice(0, endBefore(rest, /[)\s{]/)).replace(/\.get\($/, "");
  const words = `.${code.slice(endBefore(code, /[\w.]/))}`;
  const start = words.indexOf(".libs.");
  return start === -1 ? "" : words.slice(start + ".libs.".length);
}

/** Where the characters of a kind that end a text begin; an expression would search from each place. */
function endBefore(text: string, kind: RegExp): number {
  let end = text.length;
  while (end > 0 && kind.test(text[end - 1] ?? "")) end -= 1;
  return end;
}

/** `'group:artifact:version:classifier@type'`. */
function coordinatesIn(rest: string): readonly (string | undefined)[] | undefined {
  const [, group, artifact, version] =
    /["']([\w.${}-]+):([\w.${}-]+)(?::([^:@"']*))?(?::[^"']*)?(?:@\w+)?["']/.exec(rest) ?? [];
  return group === undefined ? undefined : [group, artifact, version];
}

/** `group: 'g', name: 'a', version: 'v'`, also with `=`. */
function namedParts(rest: string): readonly (string | undefined)[] | undefined {
  const group = /\bgroup\s*[:=]\s*["']([^"']*)["']/.exec(rest)?.[1];
  const artifact = /\bname\s*[:=]\s*["']([^"']*)["']/.exec(rest)?.[1];
  if (group === undefined || artifact === undefined) return undefined;
  return [group, artifact, /\bversion\s*[:=]\s*["']([^"']*)["']/.exec(rest)?.[1]];
}

function entryOf(
  [group = "", artifact = "", given]: readonly (string | undefined)[],
  text: string,
  at: At,
  variables: ReadonlyMap<string, string>,
): DeclaredEntry {
  const name = fillIn(`${group}:${artifact}`, variables);
  const requested = given === undefined || given === "" ? null : fillIn(given, variables);
  if (name.includes("$") || requested?.includes("$") === true) {
    return { ...at, text, reason: "expression: a variable has no text here" };
  }
  const isExact = requested !== null && !/[[\](,+]|^latest\./.test(requested);
  return { ...at, name, requested, ...(isExact && { version: requested.split("!!", 1)[0] ?? "" }) };
}

function fillIn(text: string, variables: ReadonlyMap<string, string>): string {
  return expandProperties(text, /\$\{?(?:rootProject\.|project\.|ext\.)*(\w+)\}?/g, (name) =>
    variables.get(name),
  );
}

/** `ext.name = 'text'`, `val name = "text"`, `name=text`, `set("name", "text")`. */
function variablesIn(text: string): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  const forms =
    /^[ \t]*(?:(?:def|val|var|const val|extra|ext)[ .]+)?(?:set\(")?([A-Za-z_]\w*)"?\s*(?:by extra\(|=|,)\s*["']?([\w.+-]+)["']?\)?[ \t]*$/gm;
  for (const [, name, value] of text.matchAll(forms)) {
    if (name !== undefined && value !== undefined && /\d/.test(value)) variables.set(name, value);
  }
  return variables;
}

/** Keeps the lines where they are. */
function withoutComments(text: string): string {
  return withoutBlocks(text.replaceAll("\r\n", "\n"), "/*", "*/").replaceAll(
    /(^|[^:"'])\/\/.*$/gm,
    "$1",
  );
}
