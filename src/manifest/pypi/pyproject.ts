import { asRecord, asTexts, type JsonObject } from "../../platform/json-value.ts";
import { declaredFile, type DeclaredEntry } from "../declared-file.ts";
import type { ReadSibling, DependencyFile } from "../dependency-file.ts";
import { quotedLines } from "../document/line-index.ts";
import { findKeyLines, parseToml } from "../document/toml-document.ts";
import { joinFiles } from "../join-files.ts";
import { forcedEntries, pyprojectEntries } from "./pyproject-entries.ts";
import type { PythonEntry } from "./python-entries.ts";
import { indexHosts } from "./python-indexes.ts";
import { readNamedRequirements } from "./requirements-file.ts";

/** Reads a pyproject.toml, and the files of requirements that it leaves its dependencies to. */
export function readPyproject(text: string, beside: ReadSibling): DependencyFile {
  const document = parseToml(text);
  const lineOf = findKeyLines(text);
  const files = dynamicFiles(document);
  const entries = [...pyprojectEntries(document), ...forcedEntries(document)];
  const computed = computedEntries(document, files, lineOf("dynamic"));
  const located = [...locateLines(text, entries), ...computed];
  const own = declaredFile("pypi", located, indexHosts(document));
  const included = files.map(({ member, group, paths }) =>
    readNamedRequirements(paths, { group, line: lineOf(member) }, beside),
  );
  return { ...joinFiles([own, ...included]), members: workspaceMembers(document) };
}

function workspaceMembers(document: JsonObject): string[] {
  const uv = asRecord(asRecord(document["tool"])["uv"]);
  return [...asTexts(asRecord(uv["workspace"])["members"])];
}

/** Files of requirements that setuptools takes dependencies from; none if it computes them. */
interface DynamicFiles {
  readonly member: string;
  readonly group: string;
  readonly paths: readonly string[];
}

function dynamicFiles(document: JsonObject): DynamicFiles[] {
  const setuptools = asRecord(asRecord(asRecord(document["tool"])["setuptools"])["dynamic"]);
  const extras = Object.entries(asRecord(setuptools["optional-dependencies"]));
  const found: (Omit<DynamicFiles, "paths"> & { readonly value: unknown })[] = [
    { member: "dependencies", group: "production", value: setuptools["dependencies"] },
    ...extras.map(([group, value]) => ({ member: "optional-dependencies", group, value })),
  ];
  return found.flatMap(({ value, ...rest }) => {
    const { file } = asRecord(value);
    const paths = Array.isArray(file) ? asTexts(file) : asTexts([file]);
    return value === undefined ? [] : [{ ...rest, paths }];
  });
}

/** Dependencies that the build computes or reads from files that nobody names here. */
function computedEntries(
  document: JsonObject,
  files: readonly DynamicFiles[],
  line: number | undefined,
): DeclaredEntry[] {
  const dynamic = asTexts(asRecord(document["project"])["dynamic"]);
  // Poetry has them in a table of its own.
  const { dependencies } = asRecord(asRecord(document["tool"])["poetry"]);
  if (dependencies !== undefined) return [];
  return ["dependencies", "optional-dependencies"]
    .filter((member) => dynamic.includes(member) && !isRead(member))
    .map((text) => ({
      group: "production",
      line,
      text,
      reason: "dynamic: they are not in this file",
    }));

  function isRead(member: string): boolean {
    const own = files.filter((each) => each.member === member);
    return own.length > 0 && own.every(({ paths }) => paths.length > 0);
  }
}

/** Finds the lines of entries by their text, else by the name that begins one. */
export function locateLines(text: string, entries: readonly PythonEntry[]) {
  const lineOfText = quotedLines(text);
  const lineOfKey = findKeyLines(text);
  return entries.map((entry) => ({
    ...entry,
    line: lineOfText(entry.text) ?? lineOfKey(entry.name ?? ""),
  }));
}
