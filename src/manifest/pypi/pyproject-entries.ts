import { asList, asRecord, asText, isRecord, type JsonObject } from "../../platform/json-value.ts";
import { excerpt } from "../manifest.ts";
import { joinOrigins, type Origin } from "../origin.ts";
import { normalizeProjectName } from "./project-name.ts";
import {
  listEntries,
  readRequirement,
  readTableEntry,
  sourceOfMember,
  tableEntries,
  withOrigin,
  withoutProject,
  type PythonEntry,
} from "./python-entries.ts";
import { indexOrigins, type IndexOrigins } from "./python-indexes.ts";
import { toolEntries } from "./tool-entries.ts";

/** What a pyproject.toml asks for, by the standard's tables and by those of Poetry, PDM and uv. */
export function pyprojectEntries(document: JsonObject): PythonEntry[] {
  const project = asRecord(document["project"]);
  const tool = asRecord(document["tool"]);
  const entries = [
    ...listEntries(project["dependencies"], "production"),
    ...withoutProject(listedByGroup(project["optional-dependencies"]), asText(project["name"])),
    ...standardGroups(asRecord(document["dependency-groups"])),
    ...poetryEntries(asRecord(tool["poetry"])),
    ...listedByGroup(asRecord(tool["pdm"])["dev-dependencies"]),
    ...listEntries(asRecord(tool["pdm"])["plugins"], "plugin"),
    ...listEntries(asRecord(tool["uv"])["dev-dependencies"], "development"),
    ...toolEntries(tool),
    ...listEntries(asRecord(document["build-system"])["requires"], "build"),
  ];
  return withSources(entries, tool);
}

/**
 * Versions that a pyproject.toml forces on packages, whoever asks for them: overrides of uv and
 * PDM, and constraints. No direct dependencies, but what is installed if anything needs them.
 */
export function forcedEntries(document: JsonObject): PythonEntry[] {
  const tool = asRecord(document["tool"]);
  const pdm = asRecord(tool["pdm"]);
  const tables = [asRecord(pdm["resolution"])["overrides"], pdm["overrides"]].map(asRecord);
  const overrides = tables.flatMap((table) =>
    Object.entries(table).map(([name, value]) => pdmOverride(name, value)),
  );
  return withSources([...uvForcedEntries(asRecord(tool["uv"])), ...overrides], tool);
}

/** Overrides and constraints in the settings of uv, and what it adds to builds of packages. */
export function uvForcedEntries(uv: JsonObject): PythonEntry[] {
  return [
    ...listEntries(uv["override-dependencies"], "override"),
    ...listEntries(uv["constraint-dependencies"], "constraint"),
    ...listEntries(uv["build-constraint-dependencies"], "constraint"),
    ...Object.values(asRecord(uv["extra-build-dependencies"])).flatMap((list) =>
      listEntries(Array.isArray(list) ? list.map(buildRequirement) : list, "build"),
    ),
  ];
}

/** A requirement, or a table with one. */
function buildRequirement(value: unknown): unknown {
  return isRecord(value) ? value["requirement"] : value;
}

/** A version, a range or an address. */
function pdmOverride(name: string, value: unknown): PythonEntry {
  const text = asText(value) ?? "";
  if (text.includes("://")) return { ...readRequirement(`${name} @ ${text}`, "override"), name };
  return readTableEntry(name, value, "override");
}

function withSources(entries: readonly PythonEntry[], tool: JsonObject): PythonEntry[] {
  const sources = sourcesByName(asRecord(asRecord(tool["uv"])["sources"]));
  const origins = indexOrigins(tool);
  return entries.map((entry) => withSource(entry, sources, origins));
}

function listedByGroup(value: unknown): PythonEntry[] {
  return Object.entries(asRecord(value)).flatMap(([group, list]) => listEntries(list, group));
}

/** Groups may include one another, which are read where they stand. */
function standardGroups(groups: JsonObject): PythonEntry[] {
  return Object.entries(groups).flatMap(([name, list]) => {
    const group = name === "dev" ? "development" : name;
    const items = Array.isArray(list) ? asList(list).filter((item) => !isInclude(item)) : list;
    return listEntries(items, group);
  });
}

function isInclude(item: unknown): boolean {
  return asText(asRecord(item)["include-group"]) !== undefined;
}

function poetryEntries(poetry: JsonObject): PythonEntry[] {
  const groups = Object.entries(asRecord(poetry["group"]));
  return [
    ...tableEntries(poetry["dependencies"], "production"),
    ...tableEntries(poetry["dev-dependencies"], "development"),
    ...tableEntries(poetry["requires-plugins"], "plugin"),
    ...Object.values(asRecord(poetry["build-constraints"])).flatMap((table) =>
      tableEntries(table, "constraint"),
    ),
    ...groups.flatMap(([name, group]) =>
      tableEntries(asRecord(group)["dependencies"], name === "dev" ? "development" : name),
    ),
  ];
}

/** Of several spellings of a name the first counts. */
function sourcesByName(sources: JsonObject): ReadonlyMap<string, Source> {
  const rows = Object.entries(sources).map(
    ([name, source]) => [normalizeProjectName(name), sourceOf(source)] as const,
  );
  return new Map(rows.toReversed());
}

/** A source of uv. It is read once, since many may ask for one with a table for each platform. */
interface Source {
  readonly indexes: readonly string[];
  /** Set where markers leave some platforms to the usual indexes. */
  readonly isPartial: boolean;
  /** Address past the index; undefined if no table of it has one. */
  readonly outside: Origin | undefined;
}

function sourceOf(source: unknown): Source {
  const tables: readonly unknown[] = Array.isArray(source) ? source : [source];
  const records = tables.map(asRecord);
  return {
    indexes: records.flatMap(({ index }) => asText(index) ?? []),
    isPartial: records.length > 1 || records.some(({ marker }) => marker !== undefined),
    outside: tables.map(sourceOfMember).find(({ reason }) => reason !== undefined),
  };
}

/** uv says in a table of its own where a package comes from, if not from any index. */
function withSource(
  entry: PythonEntry,
  sources: ReadonlyMap<string, Source>,
  { byName, any }: IndexOrigins,
): PythonEntry {
  const { name, group, text } = entry;
  if (name === undefined || "reason" in entry) return entry;
  const source = sources.get(normalizeProjectName(name));
  const own = source?.indexes ?? [];
  const indexes = own.length === 0 && entry.index !== undefined ? [entry.index] : own;
  const { hosts = [], reason: unread } = joinOrigins(
    indexes.map((index) => byName.get(index) ?? { hosts: [excerpt(index)] }),
  );
  const { reason, address } = source?.outside ?? {};
  if (reason !== undefined) {
    return { group, text, name, reason, hosts, ...(address !== undefined && { address }) };
  }
  const isPartial = indexes.length === 0 || (own.length > 0 && source?.isPartial === true);
  const usual = isPartial ? any : {};
  const local = unread ?? usual.reason;
  const all = [...(entry.hosts ?? []), ...hosts];
  const origin: Origin = local === undefined ? { hosts: all } : { reason: local };
  return { ...withOrigin(entry, origin), usualHosts: usual.hosts ?? [] };
}
