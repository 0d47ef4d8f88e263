import { declaredEntriesToDependencyFile, type DeclaredDependencyEntry } from "../declared-file.ts";
import type { SiblingFileReader, DependencyFile } from "../dependency-file.ts";
import { createGradleDependencyCallReader } from "./gradle-calls.ts";
import { readNearestGradleVersionCatalog, type GradleVersionCatalog } from "./gradle-catalog.ts";
import {
  splitGradleStatements,
  stripGradleCommentsPerLanguage,
  type GradleStatement,
} from "./gradle-code.ts";
import {
  unsupportedGradlePluginRegistryReason,
  findGradlePluginsOnLine,
  type GradlePlugin,
} from "./gradle-plugins.ts";
import { createGradleRepositoryReader } from "./gradle-repositories.ts";
import { readGradleRichVersions } from "./gradle-rich-versions.ts";

/** Reads statements that only one kind of file has. */
type ReadStatement = (statement: GradleStatement) => readonly DeclaredDependencyEntry[];

/**
 * Reads a build.gradle or build.gradle.kts as far as a program can be read:
 * coordinates in quotes, `group:`/`name:`/`version:`, a version catalogue, and
 * variables that are texts of the same file or of gradle.properties. Other
 * expressions are unparsed, and so are plugins, which come from a registry of their own.
 */
export function parseBuildGradle(text: string, beside: SiblingFileReader): DependencyFile {
  return parseGradleScriptDependencies(text, beside, () => []);
}

/** Reads a program of Gradle, and its further statements with `readStatement`. Throws `DependencyFileSyntaxError`. */
export function parseGradleScriptDependencies(
  text: string,
  beside: SiblingFileReader,
  readStatement: ReadStatement,
): DependencyFile {
  const catalog = readNearestGradleVersionCatalog(beside);
  const properties = beside("gradle.properties") ?? "";
  const entries = new Map<string, DeclaredDependencyEntry>();
  for (const { code, plain } of stripGradleCommentsPerLanguage(text)) {
    const variables = variablesIn(`${properties}\n${code}`);
    const readCall = createGradleDependencyCallReader(catalog, variables);
    const statements = splitGradleStatements({ code, plain });
    const versions = readGradleRichVersions(statements, variables);
    const found = [
      ...lineEntries(code, catalog, variables),
      ...statements.flatMap((each, index) => [
        ...readCall(each, versions.has(index) ? versions.get(index) : null),
        ...readStatement(each),
      ]),
    ];
    for (const entry of found) entries.set(JSON.stringify(entry), entry);
  }
  return declaredEntriesToDependencyFile(
    "maven",
    [...entries.values()].toSorted((left, right) => (left.line ?? 0) - (right.line ?? 0)),
  );
}

/** The repositories and plugins of each line. */
function lineEntries(
  code: string,
  catalog: GradleVersionCatalog,
  variables: ReadonlyMap<string, string>,
): DeclaredDependencyEntry[] {
  const repositoriesOn = createGradleRepositoryReader();
  return code.split("\n").flatMap((line, index, all): DeclaredDependencyEntry[] => {
    const at = { group: "production", line: index + 1 };
    return [
      ...repositoriesOn(line).map((each) => ({ ...at, ...each })),
      ...findGradlePluginsOnLine(line, all[index + 1] ?? "", catalog.plugins, variables).map(
        (each) => pluginEntry(each, at),
      ),
    ];
  });
}

function pluginEntry(
  plugin: GradlePlugin,
  at: { readonly group: string; readonly line: number },
): DeclaredDependencyEntry {
  if ("expression" in plugin) {
    return { ...at, text: plugin.expression, reason: "expression: the plugin is no text" };
  }
  const { id, version } = plugin;
  const text = version === undefined ? id : `${id}@${version}`;
  return { ...at, text, name: id, reason: unsupportedGradlePluginRegistryReason };
}

/**
 * `ext.name = 'text'`, `val name = "text"`, `name=text`, `set("name", "text")`. A variable with
 * several values has none here, because blocks of a build may have variables of the same name.
 */
function variablesIn(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, Set<string | undefined>>();
  const forms =
    /(?:^|[{;])[ \t]*(?:(def|val|var|const val|extra|ext)[ .]+)?(?:set\(")?([A-Za-z_]\w*)"?\s*(?:by extra\(|=(?!=)|,)[ \t]*(?:["']?([\w.+-]+)["']?\)?[ \t]*(?=$|[;}]))?/gm;
  for (const [, declaration, name, value] of text.matchAll(forms)) {
    if (name === undefined || (value === undefined && declaration === undefined)) continue;
    const known = values.get(name) ?? new Set();
    values.set(name, known.add(value));
  }
  const variables = new Map<string, string>();
  for (const [name, [value, ...others]] of values) {
    if (value !== undefined && others.length === 0 && /\d/.test(value)) variables.set(name, value);
  }
  return variables;
}
