import { asList, asRecord, asText, asTexts, type JsonObject } from "../../platform/json-value.ts";
import { projectName } from "./project-name.ts";
import { readRequirement, readTableEntry, type PythonEntry } from "./python-entries.ts";

/** What a pyproject.toml asks for, by the standard's tables and by those of Poetry, PDM and uv. */
export function pyprojectEntries(document: JsonObject): PythonEntry[] {
  const project = asRecord(document["project"]);
  const tool = asRecord(document["tool"]);
  const entries = [
    ...listEntries(project["dependencies"], "production"),
    ...listedByGroup(project["optional-dependencies"]),
    ...standardGroups(asRecord(document["dependency-groups"])),
    ...poetryEntries(asRecord(tool["poetry"])),
    ...listedByGroup(asRecord(tool["pdm"])["dev-dependencies"]),
    ...listEntries(asRecord(tool["uv"])["dev-dependencies"], "development"),
    ...listEntries(asRecord(document["build-system"])["requires"], "build"),
  ];
  const sources = sourcesByName(asRecord(asRecord(tool["uv"])["sources"]));
  return entries.map((entry) => withSource(entry, sources));
}

function listEntries(value: unknown, group: string): PythonEntry[] {
  return asTexts(value).map((text) => readRequirement(text, group));
}

function listedByGroup(value: unknown): PythonEntry[] {
  return Object.entries(asRecord(value)).flatMap(([group, list]) => listEntries(list, group));
}

/** Groups may include one another, which are read where they stand. */
function standardGroups(groups: JsonObject): PythonEntry[] {
  return Object.entries(groups).flatMap(([name, list]) => {
    const group = name === "dev" ? "development" : name;
    return asList(list).flatMap((item) =>
      typeof item === "string" ? [readRequirement(item, group)] : [],
    );
  });
}

function poetryEntries(poetry: JsonObject): PythonEntry[] {
  const groups = Object.entries(asRecord(poetry["group"]));
  return [
    ...tableEntries(poetry["dependencies"], "production"),
    ...tableEntries(poetry["dev-dependencies"], "development"),
    ...groups.flatMap(([name, group]) =>
      tableEntries(asRecord(group)["dependencies"], name === "dev" ? "development" : name),
    ),
  ];
}

function tableEntries(table: unknown, group: string): PythonEntry[] {
  return Object.entries(asRecord(table))
    .filter(([name]) => name.toLowerCase() !== "python")
    .map(([name, value]) => readTableEntry(name, value, group));
}

/** Of several spellings of a name the first counts. */
function sourcesByName(sources: JsonObject): ReadonlyMap<string, unknown> {
  const rows = Object.entries(sources).map(
    ([name, source]) => [projectName(name), source] as const,
  );
  return new Map(rows.toReversed());
}

/** uv says in a table of its own where a package comes from, if not from the index. */
function withSource(entry: PythonEntry, sources: ReadonlyMap<string, unknown>): PythonEntry {
  const { name, group, text } = entry;
  if (name === undefined || "reason" in entry) return entry;
  const source = sources.get(projectName(name));
  if (source === undefined || asText(asRecord(source)["index"]) !== undefined) return entry;
  const read = readTableEntry(name, source, group);
  return "reason" in read ? { ...read, text } : entry;
}
