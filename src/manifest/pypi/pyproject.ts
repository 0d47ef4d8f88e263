import {
  asJsonObjectOrEmpty,
  asNonBlankStrings,
  type JsonObject,
} from "../../platform/json-value.ts";
import { declaredEntriesToDependencyFile, type DeclaredDependencyEntry } from "../declared-file.ts";
import type { SiblingFileReader, DependencyFile, ManifestParseBudget } from "../dependency-file.ts";
import { createQuotedTextLineLookup } from "../document/line-index.ts";
import { createTomlKeyLineLookup, parseToml } from "../document/toml-document.ts";
import { mergeDependencyFiles } from "../join-files.ts";
import { readPyprojectForcedEntries, readPyprojectEntries } from "./pyproject-entries.ts";
import type { PythonRequirementEntry } from "./python-entries.ts";
import { listPythonIndexHosts } from "./python-indexes.ts";
import { parseReferencedRequirementFiles } from "./requirements-file.ts";

/** Reads a pyproject.toml, and the files of requirements that it leaves its dependencies to. */
export function parsePyproject(
  text: string,
  beside: SiblingFileReader,
  budget?: ManifestParseBudget,
): DependencyFile {
  const document = applyUvToml(parseToml(text), beside);
  const lineOf = createTomlKeyLineLookup(text);
  const files = dynamicFiles(document);
  const entries = [...readPyprojectEntries(document), ...readPyprojectForcedEntries(document)];
  const computed = computedEntries(document, files, lineOf("dynamic"));
  const located = [...addRequirementLineNumbers(text, entries), ...computed];
  const own = declaredEntriesToDependencyFile("pypi", located, listPythonIndexHosts(document));
  const included = files.map(({ member, group, paths }) =>
    parseReferencedRequirementFiles(paths, { group, line: lineOf(member) }, beside, budget),
  );
  return { ...mergeDependencyFiles([own, ...included]), members: workspaceMembers(document) };
}

/** In place of `[tool.uv]` uv takes the settings of a uv.toml, if there is one. */
function applyUvToml(document: JsonObject, beside: SiblingFileReader): JsonObject {
  const tool = asJsonObjectOrEmpty(document["tool"]);
  const settings = beside("uv.toml");
  if (settings === undefined) return document;
  const uv = asJsonObjectOrEmpty(tool["uv"]);
  try {
    const { prerelease } = parseToml(settings);
    return { ...document, tool: { ...tool, uv: { ...uv, prerelease } } };
  } catch {
    // The file is reported by itself.
    return document;
  }
}

function workspaceMembers(document: JsonObject): string[] {
  const uv = asJsonObjectOrEmpty(asJsonObjectOrEmpty(document["tool"])["uv"]);
  return [...asNonBlankStrings(asJsonObjectOrEmpty(uv["workspace"])["members"])];
}

/** Files of requirements that setuptools takes dependencies from; none if it computes them. */
interface DynamicFiles {
  readonly member: string;
  readonly group: string;
  readonly paths: readonly string[];
}

function dynamicFiles(document: JsonObject): DynamicFiles[] {
  const setuptools = asJsonObjectOrEmpty(
    asJsonObjectOrEmpty(asJsonObjectOrEmpty(document["tool"])["setuptools"])["dynamic"],
  );
  const extras = Object.entries(asJsonObjectOrEmpty(setuptools["optional-dependencies"]));
  const found: (Omit<DynamicFiles, "paths"> & { readonly value: unknown })[] = [
    { member: "dependencies", group: "production", value: setuptools["dependencies"] },
    ...extras.map(([group, value]) => ({ member: "optional-dependencies", group, value })),
  ];
  return found.flatMap(({ value, ...rest }) => {
    const { file } = asJsonObjectOrEmpty(value);
    const paths = Array.isArray(file) ? asNonBlankStrings(file) : asNonBlankStrings([file]);
    return value === undefined ? [] : [{ ...rest, paths }];
  });
}

/** Dependencies that the build computes or reads from files that nobody names here. */
function computedEntries(
  document: JsonObject,
  files: readonly DynamicFiles[],
  line: number | undefined,
): DeclaredDependencyEntry[] {
  const dynamic = asNonBlankStrings(asJsonObjectOrEmpty(document["project"])["dynamic"]);
  // Poetry has them in a table of its own.
  const { dependencies } = asJsonObjectOrEmpty(asJsonObjectOrEmpty(document["tool"])["poetry"]);
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
export function addRequirementLineNumbers(
  text: string,
  entries: readonly PythonRequirementEntry[],
) {
  const lineOfText = createQuotedTextLineLookup(text);
  const lineOfKey = createTomlKeyLineLookup(text);
  return entries.map((entry) => ({
    ...entry,
    line: lineOfText(entry.text) ?? lineOfKey(entry.name ?? ""),
  }));
}
