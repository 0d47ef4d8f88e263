import { asRecord, asRecords, asText, type JsonObject } from "../../platform/json-value.ts";
import { declaredFile } from "../declared-file.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { excerpt } from "../manifest.ts";
import { parseToml } from "../document/toml-document.ts";
import { joinOrigins, registryOrigin, type Origin } from "../origin.ts";
import { locateLines } from "./pyproject.ts";
import { readTableEntry, withOrigin, type PythonEntry } from "./python-entries.ts";

/** Tables of a Pipfile that name no packages. */
const settings = new Set(["source", "requires", "scripts", "pipenv", "pipfile"]);

/** Reads a Pipfile: `packages`, `dev-packages` and categories of the project's own. */
export function readPipfile(text: string): DependencyFile {
  return declaredFile("pypi", locateLines(text, pipfileEntries(parseToml(text))));
}

/** What a Pipfile asks for. */
export function pipfileEntries(document: JsonObject): PythonEntry[] {
  const originOf = pipenvOrigins(asRecords(document["source"]));
  const categories = Object.entries(document).filter(([name]) => !settings.has(name));
  return categories.flatMap(([category, table]) =>
    Object.entries(asRecord(table)).map(([name, value]) =>
      withOrigin(
        readTableEntry(name, value, categoryGroup(category)),
        originOf(asText(asRecord(value)["index"])),
      ),
    ),
  );
}

/** Origin of a package by the name of the source that it is held to, if it is. */
export type PipenvOrigin = (index: string | undefined) => Origin;

/** Returns the origins by the sources of a Pipfile or its lock; a package of no source has any of them. */
export function pipenvOrigins(sources: readonly JsonObject[]): PipenvOrigin {
  const origins = sources.map(({ url }) => registryOrigin("pypi", asText(url)));
  const byName = new Map(sources.map(({ name }, at) => [asText(name), origins[at] ?? {}]));
  const any = joinOrigins(origins);
  return (index) =>
    index === undefined ? any : (byName.get(index) ?? { hosts: [excerpt(index)] });
}

/** What a category of a Pipfile or of its lock is called here. */
export function categoryGroup(category: string): string {
  if (category === "packages" || category === "default") return "production";
  return category === "dev-packages" || category === "develop" ? "development" : category;
}
