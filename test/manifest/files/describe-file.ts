import { normalize } from "node:path/posix";
import type { FileDependency } from "../../../src/manifest/dependency-file.ts";
import { findFileFormatByKind } from "../../../src/manifest/file-formats.ts";

/** What a file was read as: a line for each package, and for each text that is none. */
export interface DescribedFile {
  readonly packages: readonly string[];
  readonly unparsed: readonly string[];
}

/**
 * Reads a text by the format of a name, with the files that stand beside it, and
 * says each package as `line: name version relation groups [ways]`. A version that
 * is only asked for stands in brackets.
 */
export function describeFile(
  format: string,
  text: string,
  files: Readonly<Record<string, string>> = {},
): DescribedFile {
  const reader = findFileFormatByKind(format);
  if (reader === undefined) throw new Error(`There is no format ${format}.`);
  const beside = new Map(Object.entries(files));
  const { dependencies, unparsed } = reader.read(text, (path) => beside.get(normalize(path)));
  return {
    packages: dependencies.map(describeDependency),
    unparsed: unparsed.map(({ line, text: what, reason }) => `${line ?? "-"}: ${what}: ${reason}`),
  };
}

function describeDependency(dependency: FileDependency): string {
  const { line, name, version, requested, relation, groups, paths } = dependency;
  const ways = paths.filter(({ length }) => length > 1).map((path) => ` [${path.join(" > ")}]`);
  const what = version ?? `(${requested ?? ""})`;
  return `${line ?? "-"}: ${name} ${what} ${relation} ${groups.join("+")}${ways.join("")}`;
}
