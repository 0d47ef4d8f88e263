import { declaredFile, type DeclaredEntry } from "../declared-file.ts";
import type { Beside, DependencyFile } from "../dependency-file.ts";
import { gradleCatalog, type CatalogLibrary } from "./gradle-catalog.ts";

/** Words of Gradle that add a dependency; projects have words of their own that end alike. */
const configuration =
  /^\s*(?:add\(\s*["'])?(\w*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[cC]ompile|[rR]untime|classpath|[kK]apt|ksp|[aA]nnotationProcessor|[pP]rovided|[dD]evelopmentOnly|[dD]esugaring|detektPlugins|constraints?))\b["']?\s*,?\s*(.*)$/;

/**
 * Reads a build.gradle or build.gradle.kts as far as a program can be read:
 * coordinates in quotes, `group:`/`name:`/`version:`, a version catalogue, and
 * variables that are texts of the same file or of gradle.properties. Other
 * expressions are unparsed.
 */
export function readBuildGradle(text: string, beside: Beside): DependencyFile {
  const variables = variablesIn(`${beside("gradle.properties") ?? ""}\n${text}`);
  const catalog = gradleCatalog(beside);
  const entries = withoutComments(text)
    .split("\n")
    .flatMap((line, index) => {
      const [, word, rest] = configuration.exec(line) ?? [];
      if (word === undefined || rest === undefined || !/^[("']|^\w+\s*[:.(]/.test(rest)) return [];
      const group = /test/i.test(word) ? "test" : "production";
      return entriesOf(rest, { group, line: index + 1 }, variables, catalog);
    });
  return declaredFile("maven", entries);
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
  const [, alias] = /\blibs\.([\w.]+?)(?:\.get\(\))?\s*[)\s{]*$/.exec(rest) ?? [];
  const libraries = alias === undefined ? undefined : catalog.get(alias);
  if (libraries !== undefined) return libraries.map((library) => ({ ...library, ...at }));
  const [, kotlin] = /^\(\s*kotlin\(\s*["']([\w-]+)["']/.exec(rest) ?? [];
  if (kotlin !== undefined) {
    return [{ ...at, name: `org.jetbrains.kotlin:kotlin-${kotlin}`, requested: null }];
  }
  return [{ ...at, text: rest, reason: "expression: it is no text" }];
}

/** `'group:artifact:version:classifier@type'`. */
function coordinatesIn(rest: string): readonly (string | undefined)[] | undefined {
  const [, group, artifact, version] =
    /["']([\w.${}-]+):([\w.${}-]+)(?::([^:@"']*))?(?::[^"']*)?(?:@\w+)?["']/.exec(rest) ?? [];
  return group === undefined ? undefined : [group, artifact, version];
}

/** `group: 'g', name: 'a', version: 'v'`, also with `=`. */
function namedParts(rest: string): readonly (string | undefined)[] | undefined {
  const part = (name: string) =>
    new RegExp(`\\b${name}\\s*[:=]\\s*["']([^"']*)["']`).exec(rest)?.[1];
  const [group, artifact] = [part("group"), part("name")];
  return group === undefined || artifact === undefined
    ? undefined
    : [group, artifact, part("version")];
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
  return { ...at, name, requested, ...(isExact && { version: requested.replace(/!!.*$/, "") }) };
}

function fillIn(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    /\$\{?(?:rootProject\.|project\.|ext\.)*(\w+)\}?/g,
    (whole, name: string) => {
      return variables.get(name) ?? whole;
    },
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
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => "\n".repeat(comment.split("\n").length - 1))
    .replaceAll(/(^|[^:"'])\/\/.*$/gm, "$1");
}
