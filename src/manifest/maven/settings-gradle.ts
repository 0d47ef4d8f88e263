import type { DeclaredDependencyEntry } from "../declared-file.ts";
import type { DependencyFile, SiblingFileReader } from "../dependency-file.ts";
import { parseGradleScriptDependencies } from "./build-gradle.ts";
import type { GradleStatement } from "./gradle-code.ts";

/**
 * Reads a settings.gradle or settings.gradle.kts: repositories and dependencies as in a
 * build.gradle, and the folders of the projects and builds that belong to the build. A change of
 * the version catalogue and a folder that is computed are reported.
 */
export function parseSettingsGradle(text: string, beside: SiblingFileReader): DependencyFile {
  const members = new Set<string>();
  const file = parseGradleScriptDependencies(text, beside, (statement) => [
    ...catalogChanges(statement),
    ...folderEntries(statement, members),
  ]);
  return { ...file, members: [...members] };
}

/** The catalogue that builds read by themselves. */
const usualCatalog = /^(?:\.\.\/)*gradle\/libs\.versions\.toml$/;

function catalogChanges({ code, plain, line }: GradleStatement): DeclaredDependencyEntry[] {
  const isEntry = /(?<!\w)(?:library|bundle|plugin|version)\s{0,9}\(?\s{0,9}["']\s*,/.test(plain);
  const isImport = /(?<!\w)from\s{0,9}\(?\s{0,9}(?:\w{1,40}\.){0,4}files\b/.test(plain);
  const isName = /\bdefaultLibrariesExtensionName\b/.test(plain);
  const files = textsIn(code);
  const isUsual = files.length > 0 && files.every((each) => usualCatalog.test(each));
  if (!isEntry && !isName && (!isImport || isUsual)) return [];
  const reason = "expression: it changes the version catalogue";
  return [{ group: "production", line, text: code, reason }];
}

/** Adds the folders that a statement names to `members`, and reports those that it computes. */
function folderEntries(
  { code, plain, line }: GradleStatement,
  members: Set<string>,
): DeclaredDependencyEntry[] {
  const isFolder = /(?<!\w)projectDir\s{0,9}=(?!=)/.test(plain);
  const [, word] = /^(?:[\w.]+\.)?(include(?:Build|Flat)?)(?![\w=:]|\s*[=:.])/.exec(plain) ?? [];
  if (!isFolder && word === undefined) return [];
  const texts = textsIn(isFolder ? code.slice(plain.indexOf("projectDir")) : code);
  const folders = texts.map((text) => folderOf(text, word));
  for (const folder of folders) if (folder !== undefined) members.add(folder);
  if (folders.length > 0 && !folders.includes(undefined)) return [];
  const reason = "expression: the folder of a part of the project is computed";
  return [{ group: "production", line, text: code, reason }];
}

/** Returns undefined for a computed folder. */
function folderOf(text: string, word: string | undefined): string | undefined {
  const path = text.replace(
    /^\$(?:\{(?:rootProject\.projectDir|rootDir|settingsDir)\}|rootDir\b|settingsDir\b)\/?/,
    "./",
  );
  if (word === "include" && !path.includes("/")) {
    const folder = path.replace(/^:/, "").replaceAll(":", "/");
    return folder.startsWith("$") ? undefined : withPatterns(folder);
  }
  if (path.startsWith("$")) return undefined;
  return withPatterns(word === "includeFlat" ? `../${path}` : path);
}

/** A variable in a path may stand for any name. */
function withPatterns(path: string): string {
  return path.replaceAll(/\$(?:\{[^${}]*\}|\w+)/g, "*");
}

/** The texts in quotes. */
function textsIn(code: string): string[] {
  return [...code.matchAll(/"([^"]*)"|'([^']*)'/g)].map(
    ([, double, single]) => double ?? single ?? "",
  );
}
