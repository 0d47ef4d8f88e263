import { declaredFile } from "../declared-file.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { quotedLines } from "../document/line-index.ts";
import { keyLines, tomlDocument } from "../document/toml-document.ts";
import { pyprojectEntries } from "./pyproject-entries.ts";
import type { PythonEntry } from "./python-entries.ts";

/** Reads a pyproject.toml. */
export function readPyproject(text: string): DependencyFile {
  return declaredFile("pypi", withLines(text, pyprojectEntries(tomlDocument(text))));
}

/** Finds the lines of entries by their text, else by the name that begins one. */
export function withLines(text: string, entries: readonly PythonEntry[]) {
  const lineOfText = quotedLines(text);
  const lineOfKey = keyLines(text);
  return entries.map((entry) => ({
    ...entry,
    line: lineOfText(entry.text) ?? lineOfKey(entry.name ?? ""),
  }));
}
