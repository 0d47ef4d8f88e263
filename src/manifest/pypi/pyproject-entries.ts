import {
  asArrayOrEmpty,
  asJsonObjectOrEmpty,
  asNonBlankString,
  isJsonObject,
  type JsonObject,
} from "../../platform/json-value.ts";
import { truncateToExcerpt } from "../manifest.ts";
import { mergePackageDownloadSources, type PackageDownloadOrigin } from "../origin.ts";
import { normalizePypiProjectName } from "./project-name.ts";
import {
  parseRequirementEntryList,
  parsePep508Entry,
  parseRequirementTableMember,
  readPythonTableDownloadSource,
  parseRequirementEntryTable,
  applyEntryDownloadSource,
  excludeOwnProject,
  includeEntryPrereleases,
  type PythonRequirementEntry,
} from "./python-entries.ts";
import {
  readPythonIndexDownloadSources,
  type PythonIndexDownloadSources,
} from "./python-indexes.ts";
import { readPyprojectToolEntries } from "./tool-entries.ts";

/** What a pyproject.toml asks for, by the standard's tables and by those of Poetry, PDM and uv. */
export function readPyprojectEntries(document: JsonObject): PythonRequirementEntry[] {
  const project = asJsonObjectOrEmpty(document["project"]);
  const tool = asJsonObjectOrEmpty(document["tool"]);
  const entries = [
    ...parseRequirementEntryList(project["dependencies"], "production"),
    ...excludeOwnProject(
      listedByGroup(project["optional-dependencies"]),
      asNonBlankString(project["name"]),
    ),
    ...standardGroups(asJsonObjectOrEmpty(document["dependency-groups"])),
    ...poetryEntries(asJsonObjectOrEmpty(tool["poetry"])),
    ...listedByGroup(asJsonObjectOrEmpty(tool["pdm"])["dev-dependencies"]),
    ...parseRequirementEntryList(asJsonObjectOrEmpty(tool["pdm"])["plugins"], "plugin"),
    ...parseRequirementEntryList(
      asJsonObjectOrEmpty(tool["uv"])["dev-dependencies"],
      "development",
    ),
    ...readPyprojectToolEntries(tool),
    ...parseRequirementEntryList(
      asJsonObjectOrEmpty(document["build-system"])["requires"],
      "build",
    ),
  ];
  return withSources(withPrereleases(entries, tool), tool);
}

/**
 * Versions that a pyproject.toml forces on packages, whoever asks for them: overrides of uv and
 * PDM, and constraints. No direct dependencies, but what is installed if anything needs them.
 */
export function readPyprojectForcedEntries(document: JsonObject): PythonRequirementEntry[] {
  const tool = asJsonObjectOrEmpty(document["tool"]);
  const pdm = asJsonObjectOrEmpty(tool["pdm"]);
  const tables = [asJsonObjectOrEmpty(pdm["resolution"])["overrides"], pdm["overrides"]].map(
    asJsonObjectOrEmpty,
  );
  const overrides = tables.flatMap((table) =>
    Object.entries(table).map(([name, value]) => pdmOverride(name, value)),
  );
  const forced = [...readUvForcedEntries(asJsonObjectOrEmpty(tool["uv"])), ...overrides];
  return withSources(withPrereleases(forced, tool), tool);
}

/**
 * Lets pre-releases fit all requirements if a setting of uv or PDM allows them. The setting of
 * Poetry is of one package, and counts for its requirement in the table of the standard too.
 */
function withPrereleases(
  entries: readonly PythonRequirementEntry[],
  tool: JsonObject,
): readonly PythonRequirementEntry[] {
  const pdm = asJsonObjectOrEmpty(tool["pdm"]);
  const isForAll =
    asJsonObjectOrEmpty(tool["uv"])["prerelease"] === "allow" ||
    asJsonObjectOrEmpty(pdm["resolution"])["allow-prereleases"] === true ||
    pdm["allow_prereleases"] === true;
  const ofPoetry = Object.entries(
    asJsonObjectOrEmpty(asJsonObjectOrEmpty(tool["poetry"])["dependencies"]),
  )
    .filter(([, value]) => asJsonObjectOrEmpty(value)["allow-prereleases"] === true)
    .map(([name]) => normalizePypiProjectName(name));
  const names = new Set(ofPoetry);
  return entries.map((entry) => {
    const isNamed = entry.name !== undefined && names.has(normalizePypiProjectName(entry.name));
    return isForAll || isNamed ? includeEntryPrereleases(entry) : entry;
  });
}

/** Overrides and constraints in the settings of uv, and what it adds to builds of packages. */
export function readUvForcedEntries(uv: JsonObject): PythonRequirementEntry[] {
  return [
    ...parseRequirementEntryList(uv["override-dependencies"], "override"),
    ...parseRequirementEntryList(uv["constraint-dependencies"], "constraint"),
    ...parseRequirementEntryList(uv["build-constraint-dependencies"], "constraint"),
    ...Object.values(asJsonObjectOrEmpty(uv["extra-build-dependencies"])).flatMap((list) =>
      parseRequirementEntryList(Array.isArray(list) ? list.map(buildRequirement) : list, "build"),
    ),
  ];
}

/** A requirement, or a table with one. */
function buildRequirement(value: unknown): unknown {
  return isJsonObject(value) ? value["requirement"] : value;
}

/** A version, a range or an address. */
function pdmOverride(name: string, value: unknown): PythonRequirementEntry {
  const text = asNonBlankString(value) ?? "";
  if (text.includes("://")) return { ...parsePep508Entry(`${name} @ ${text}`, "override"), name };
  return parseRequirementTableMember(name, value, "override");
}

function withSources(
  entries: readonly PythonRequirementEntry[],
  tool: JsonObject,
): PythonRequirementEntry[] {
  const sources = sourcesByName(asJsonObjectOrEmpty(asJsonObjectOrEmpty(tool["uv"])["sources"]));
  const origins = readPythonIndexDownloadSources(tool);
  return entries.map((entry) => withSource(entry, sources, origins));
}

function listedByGroup(value: unknown): PythonRequirementEntry[] {
  return Object.entries(asJsonObjectOrEmpty(value)).flatMap(([group, list]) =>
    parseRequirementEntryList(list, group),
  );
}

/** Groups may include one another, which are read where they stand. */
function standardGroups(groups: JsonObject): PythonRequirementEntry[] {
  return Object.entries(groups).flatMap(([name, list]) => {
    const group = name === "dev" ? "development" : name;
    const items = Array.isArray(list)
      ? asArrayOrEmpty(list).filter((item) => !isInclude(item))
      : list;
    return parseRequirementEntryList(items, group);
  });
}

function isInclude(item: unknown): boolean {
  return asNonBlankString(asJsonObjectOrEmpty(item)["include-group"]) !== undefined;
}

function poetryEntries(poetry: JsonObject): PythonRequirementEntry[] {
  const groups = Object.entries(asJsonObjectOrEmpty(poetry["group"]));
  return [
    ...parseRequirementEntryTable(poetry["dependencies"], "production"),
    ...parseRequirementEntryTable(poetry["dev-dependencies"], "development"),
    ...parseRequirementEntryTable(poetry["requires-plugins"], "plugin"),
    ...Object.values(asJsonObjectOrEmpty(poetry["build-constraints"])).flatMap((table) =>
      parseRequirementEntryTable(table, "constraint"),
    ),
    ...groups.flatMap(([name, group]) =>
      parseRequirementEntryTable(
        asJsonObjectOrEmpty(group)["dependencies"],
        name === "dev" ? "development" : name,
      ),
    ),
  ];
}

/** Of several spellings of a name the first counts. */
function sourcesByName(sources: JsonObject): ReadonlyMap<string, Source> {
  const rows = Object.entries(sources).map(
    ([name, source]) => [normalizePypiProjectName(name), sourceOf(source)] as const,
  );
  return new Map(rows.toReversed());
}

/** A source of uv. It is read once, since many may ask for one with a table for each platform. */
interface Source {
  readonly indexes: readonly string[];
  /** Set where markers leave some platforms to the usual indexes. */
  readonly isPartial: boolean;
  /** Address past the index; undefined if no table of it has one. */
  readonly outside: PackageDownloadOrigin | undefined;
}

function sourceOf(source: unknown): Source {
  const tables: readonly unknown[] = Array.isArray(source) ? source : [source];
  const records = tables.map(asJsonObjectOrEmpty);
  return {
    indexes: records.flatMap(({ index }) => asNonBlankString(index) ?? []),
    isPartial: records.length > 1 || records.some(({ marker }) => marker !== undefined),
    outside: tables.map(readPythonTableDownloadSource).find(({ reason }) => reason !== undefined),
  };
}

/** uv says in a table of its own where a package comes from, if not from any index. */
function withSource(
  entry: PythonRequirementEntry,
  sources: ReadonlyMap<string, Source>,
  { byName, any }: PythonIndexDownloadSources,
): PythonRequirementEntry {
  const { name, group, text } = entry;
  if (name === undefined || "reason" in entry) return entry;
  const source = sources.get(normalizePypiProjectName(name));
  const own = source?.indexes ?? [];
  const indexes = own.length === 0 && entry.index !== undefined ? [entry.index] : own;
  const { hosts = [], reason: unread } = mergePackageDownloadSources(
    indexes.map((index) => byName.get(index) ?? { hosts: [truncateToExcerpt(index)] }),
  );
  const { reason, address } = source?.outside ?? {};
  if (reason !== undefined) {
    return { group, text, name, reason, hosts, ...(address !== undefined && { address }) };
  }
  const isPartial = indexes.length === 0 || (own.length > 0 && source?.isPartial === true);
  const usual = isPartial ? any : {};
  const local = unread ?? usual.reason;
  const all = [...(entry.hosts ?? []), ...hosts];
  const origin: PackageDownloadOrigin = local === undefined ? { hosts: all } : { reason: local };
  return { ...applyEntryDownloadSource(entry, origin), usualHosts: usual.hosts ?? [] };
}
