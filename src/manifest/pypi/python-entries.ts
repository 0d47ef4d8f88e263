import { asRecord, asText, isRecord, type JsonObject } from "../../platform/json-value.ts";
import type { VersionConstraint } from "../manifest.ts";
import { addressOrigin, gitOrigin, publicOrigin, withoutUser, type Origin } from "../origin.ts";
import { readRequirementLine } from "../requirements/requirement-line.ts";
import { poetrySpecifier } from "./poetry-specifier.ts";
import { normalizeProjectName } from "./project-name.ts";

/** A requirement of a Python project, or why it names no package of the index. */
export type PythonEntry = {
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
      readonly constraint?: VersionConstraint;
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
export function readRequirement(text: string, group: string): PythonEntry {
  const read = readRequirementLine(text);
  if (read === "no_dependency") return { group, text, reason: "invalid_line" };
  return "dependency" in read ? { group, text, ...read.dependency } : { group, text, ...read };
}

/**
 * Leaves out the project itself: `all = ["project[a,b]"]` of its extras installs what is here and
 * nothing of the index.
 */
export function withoutProject<Entry extends { readonly name?: string; readonly reason?: string }>(
  entries: readonly Entry[],
  project: string | undefined,
): readonly Entry[] {
  if (project === undefined) return entries;
  const own = normalizeProjectName(project);
  return entries.filter(
    ({ name, reason }) =>
      name === undefined || reason !== undefined || normalizeProjectName(name) !== own,
  );
}

/** Reads a list of requirements, and reports any other value. */
export function listEntries(value: unknown, group: string): PythonEntry[] {
  if (value === undefined) return [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.map((item) => {
    if (Array.isArray(value) && typeof item === "string") return readRequirement(item, group);
    return { group, text: JSON.stringify(item), reason: "invalid_line: it is not a list of texts" };
  });
}

/** Reads a table of requirements by name, of Poetry for instance. */
export function tableEntries(table: unknown, group: string): PythonEntry[] {
  if (table !== undefined && !isRecord(table)) {
    return [{ group, text: JSON.stringify(table), reason: "invalid_line: it is not a table" }];
  }
  return Object.entries(asRecord(table))
    .filter(([name]) => name.toLowerCase() !== "python")
    .flatMap(([name, value]) => {
      // A table for each platform, all of which the project asks for.
      const tables: readonly unknown[] = Array.isArray(value) ? value : [value];
      return tables.map((each) => readTableEntry(name, each, group));
    });
}

/** Adds where an entry of an index comes from. */
export function withOrigin(entry: PythonEntry, { hosts, reason }: Origin): PythonEntry {
  if ("reason" in entry) return entry;
  const { name, group, text } = entry;
  if (reason !== undefined) return { group, text, name, reason };
  return { ...entry, ...(hosts !== undefined && { hosts }) };
}

/** Reads a member of a table of Poetry or Pipenv: a version, or a table that may lead past the index. */
export function readTableEntry(name: string, value: unknown, group: string): PythonEntry {
  const table = tableOf(value);
  const specifier = asText(value) ?? asText(table["version"]) ?? "*";
  const git = asText(table["git"]);
  const shown = git === undefined ? value : { ...table, git: withoutUser(git) };
  const text = `${name} = ${JSON.stringify(shown)}`;
  const { reason, address } = sourceOfMember(value);
  const path = table["workspace"] === true ? "workspace:" : asText(table["path"]);
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
  const requirement = poetrySpecifier(specifier);
  if (requirement === undefined) return { group, text, name, requested: specifier };
  const index = asText(table["source"]);
  const read = readRequirement(`${name}${requirement}`, group);
  return { ...read, text, ...(index !== undefined && { index }) };
}

/** Of several tables, one for each platform, the first counts. */
function tableOf(value: unknown): JsonObject {
  return asRecord(Array.isArray(value) ? value[0] : value);
}

/** Returns where a member of a table leads past the index; empty if it does not. */
export function sourceOfMember(value: unknown): Origin {
  const table = tableOf(value);
  if (table["git"] !== undefined) return gitOrigin(asText(table["git"]));
  const path = table["path"] ?? table["file"];
  if (path !== undefined) return addressOrigin("local", asText(path));
  if (table["workspace"] === true) return { reason: "local" };
  return table["url"] === undefined ? publicOrigin : addressOrigin("url", asText(table["url"]));
}
