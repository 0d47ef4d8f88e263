import {
  asJsonObjectOrEmpty,
  asNonBlankString,
  isJsonObject,
  type JsonObject,
} from "../../platform/json-value.ts";
import { includePrereleases, type VersionConstraintKind } from "../manifest.ts";
import {
  toNonRegistryDownloadSource,
  toGitDownloadSource,
  defaultPackageDownloadSource,
  removeUserinfoAndQuery,
  type PackageDownloadOrigin,
} from "../origin.ts";
import { classifyRequirementLine } from "../requirements/requirement-line.ts";
import { toPep440Specifier } from "./poetry-specifier.ts";
import { normalizePypiProjectName } from "./project-name.ts";

/** A requirement of a Python project, or why it names no package of the index. */
export type PythonRequirementEntry = {
  readonly group: string;
  readonly text: string;
  /** Hosts other than the public index that it may come from. */
  readonly hosts?: readonly string[];
  /** Hosts that it may come from as well, in one list for all. */
  readonly usualHosts?: readonly string[];
  /** Name of the source that Poetry is to take it from. */
  readonly index?: string;
} & (
  | {
      readonly name: string;
      readonly requested: string | null;
      readonly version?: string;
      readonly constraint?: VersionConstraintKind;
    }
  | {
      readonly name?: string;
      readonly reason: string;
      /** Address of its repository, see `Origin`. */
      readonly address?: string;
      /** A path from the manifest, or `workspace:`. */
      readonly requested?: string;
    }
);

/** Reads a requirement as PEP 508 has it. */
export function parsePep508Entry(text: string, group: string): PythonRequirementEntry {
  const read = classifyRequirementLine(text);
  if (read === "no_dependency") return { group, text, reason: "invalid_line" };
  return "dependency" in read ? { group, text, ...read.dependency } : { group, text, ...read };
}

/**
 * Leaves out the project itself: `all = ["project[a,b]"]` of its extras installs what is here and
 * nothing of the index.
 */
export function excludeOwnProject<
  Entry extends { readonly name?: string; readonly reason?: string },
>(entries: readonly Entry[], project: string | undefined): readonly Entry[] {
  if (project === undefined) return entries;
  const own = normalizePypiProjectName(project);
  return entries.filter(
    ({ name, reason }) =>
      name === undefined || reason !== undefined || normalizePypiProjectName(name) !== own,
  );
}

/** Reads a list of requirements, and reports any other value. */
export function parseRequirementEntryList(value: unknown, group: string): PythonRequirementEntry[] {
  if (value === undefined) return [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.map((item) => {
    if (Array.isArray(value) && typeof item === "string") return parsePep508Entry(item, group);
    return { group, text: JSON.stringify(item), reason: "invalid_line: it is not a list of texts" };
  });
}

/** Reads a table of requirements by name, of Poetry for instance. */
export function parseRequirementEntryTable(
  table: unknown,
  group: string,
): PythonRequirementEntry[] {
  if (table !== undefined && !isJsonObject(table)) {
    return [{ group, text: JSON.stringify(table), reason: "invalid_line: it is not a table" }];
  }
  return Object.entries(asJsonObjectOrEmpty(table))
    .filter(([name]) => name.toLowerCase() !== "python")
    .flatMap(([name, value]) => {
      // A table for each platform, all of which the project asks for.
      const tables: readonly unknown[] = Array.isArray(value) ? value : [value];
      return tables.map((each) => parseRequirementTableMember(name, each, group));
    });
}

/** Adds where an entry of an index comes from. */
export function applyEntryDownloadSource(
  entry: PythonRequirementEntry,
  { hosts, reason }: PackageDownloadOrigin,
): PythonRequirementEntry {
  if ("reason" in entry) return entry;
  const { name, group, text } = entry;
  if (reason !== undefined) return { group, text, name, reason };
  return { ...entry, ...(hosts !== undefined && { hosts }) };
}

/** Reads a member of a table of Poetry or Pipenv: a version, or a table that may lead past the index. */
export function parseRequirementTableMember(
  name: string,
  value: unknown,
  group: string,
): PythonRequirementEntry {
  const table = tableOf(value);
  const specifier = asNonBlankString(value) ?? asNonBlankString(table["version"]) ?? "*";
  const git = asNonBlankString(table["git"]);
  const shown = git === undefined ? value : { ...table, git: removeUserinfoAndQuery(git) };
  const text = `${name} = ${JSON.stringify(shown)}`;
  const { reason, address } = readPythonTableDownloadSource(value);
  const path = table["workspace"] === true ? "workspace:" : asNonBlankString(table["path"]);
  if (reason !== undefined) {
    return {
      group,
      text,
      name,
      reason,
      ...(address !== undefined && { address }),
      ...(path !== undefined && { requested: path }),
    };
  }
  const requirement = toPep440Specifier(specifier);
  if (requirement === undefined) {
    // Without its range the latest version would be assessed, which may not fit.
    const unread = "invalid_specifier: PEP 440 has no such range, such as one with `||`";
    return { group, text, name, reason: unread, requested: specifier };
  }
  const index = asNonBlankString(table["source"]);
  const read = parsePep508Entry(`${name}${requirement}`, group);
  const entry = { ...read, text, ...(index !== undefined && { index }) };
  return table["allow-prereleases"] === true ? includeEntryPrereleases(entry) : entry;
}

/** Lets pre-releases fit an entry of the index, as a setting of its tool says. */
export function includeEntryPrereleases(entry: PythonRequirementEntry): PythonRequirementEntry {
  return "reason" in entry ? entry : includePrereleases(entry);
}

/** Of several tables, one for each platform, the first counts. */
function tableOf(value: unknown): JsonObject {
  return asJsonObjectOrEmpty(Array.isArray(value) ? value[0] : value);
}

/** Returns where a member of a table leads past the index; empty if it does not. */
export function readPythonTableDownloadSource(value: unknown): PackageDownloadOrigin {
  const table = tableOf(value);
  if (table["git"] !== undefined) return toGitDownloadSource(asNonBlankString(table["git"]));
  const path = table["path"] ?? table["file"];
  if (path !== undefined) return toNonRegistryDownloadSource("local", asNonBlankString(path));
  if (table["workspace"] === true) return { reason: "local" };
  return table["url"] === undefined
    ? defaultPackageDownloadSource
    : toNonRegistryDownloadSource("url", asNonBlankString(table["url"]));
}
