import {
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  type JsonObject,
} from "../../platform/json-value.ts";
import { declaredEntriesToDependencyFile } from "../declared-file.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { truncateToExcerpt } from "../manifest.ts";
import { parseToml } from "../document/toml-document.ts";
import {
  mergePackageDownloadSources,
  toRegistryDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";
import { addRequirementLineNumbers } from "./pyproject.ts";
import {
  parseRequirementTableMember,
  applyEntryDownloadSource,
  includeEntryPrereleases,
  type PythonRequirementEntry,
} from "./python-entries.ts";

/** Tables of a Pipfile that name no packages. */
const settings = new Set(["source", "requires", "scripts", "pipenv", "pipfile"]);

/** Reads a Pipfile: `packages`, `dev-packages` and categories of the project's own. */
export function parsePipfile(text: string): DependencyFile {
  return declaredEntriesToDependencyFile(
    "pypi",
    addRequirementLineNumbers(text, readPipfileEntries(parseToml(text))),
  );
}

/** What a Pipfile asks for. */
export function readPipfileEntries(document: JsonObject): PythonRequirementEntry[] {
  const originOf = createPipenvDownloadSourceLookup(asJsonObjectElements(document["source"]));
  const categories = Object.entries(document).filter(([name]) => !settings.has(name));
  const { allow_prereleases: isAllowed } = asJsonObjectOrEmpty(document["pipenv"]);
  const entries = categories.flatMap(([category, table]) =>
    Object.entries(asJsonObjectOrEmpty(table)).map(([name, value]) =>
      applyEntryDownloadSource(
        parseRequirementTableMember(name, value, pipfileCategoryToGroup(category)),
        originOf(asNonBlankString(asJsonObjectOrEmpty(value)["index"])),
      ),
    ),
  );
  return isAllowed === true ? entries.map(includeEntryPrereleases) : entries;
}

/** Origin of a package by the name of the source that it is held to, if it is. */
export type PipenvDownloadSourceLookup = (index: string | undefined) => PackageDownloadOrigin;

/** Returns the origins by the sources of a Pipfile or its lock; a package of no source has any of them. */
export function createPipenvDownloadSourceLookup(
  sources: readonly JsonObject[],
): PipenvDownloadSourceLookup {
  const origins = sources.map(({ url }) => toRegistryDownloadSource("pypi", asNonBlankString(url)));
  const byName = new Map(
    sources.map(({ name }, at) => [asNonBlankString(name), origins[at] ?? {}]),
  );
  const any = mergePackageDownloadSources(origins);
  return (index) =>
    index === undefined ? any : (byName.get(index) ?? { hosts: [truncateToExcerpt(index)] });
}

/** What a category of a Pipfile or of its lock is called here. */
export function pipfileCategoryToGroup(category: string): string {
  if (category === "packages" || category === "default") return "production";
  return category === "dev-packages" || category === "develop" ? "development" : category;
}
