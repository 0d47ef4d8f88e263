import { asRecord, type JsonObject } from "../../platform/json-value.ts";
import { declaredFile } from "../declared-file.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { tomlDocument } from "../document/toml-document.ts";
import { withLines } from "./pyproject.ts";
import { readTableEntry, type PythonEntry } from "./python-entries.ts";

/** Tables of a Pipfile that name no packages. */
const settings = new Set(["source", "requires", "scripts", "pipenv", "pipfile"]);

/** Reads a Pipfile: `packages`, `dev-packages` and categories of the project's own. */
export function readPipfile(text: string): DependencyFile {
  return declaredFile("pypi", withLines(text, pipfileEntries(tomlDocument(text))));
}

/** What a Pipfile asks for. */
export function pipfileEntries(document: JsonObject): PythonEntry[] {
  const categories = Object.entries(document).filter(([name]) => !settings.has(name));
  return categories.flatMap(([category, table]) =>
    Object.entries(asRecord(table)).map(([name, value]) =>
      readTableEntry(name, value, categoryGroup(category)),
    ),
  );
}

/** What a category of a Pipfile or of its lock is called here. */
export function categoryGroup(category: string): string {
  if (category === "packages" || category === "default") return "production";
  return category === "dev-packages" || category === "develop" ? "development" : category;
}
