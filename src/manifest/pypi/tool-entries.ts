import {
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  isJsonObject,
  type JsonObject,
} from "../../platform/json-value.ts";
import { mergePackageDownloadSources, toRegistryDownloadSource } from "../origin.ts";
import {
  parseRequirementEntryList,
  parseRequirementEntryTable,
  applyEntryDownloadSource,
  includeEntryPrereleases,
  type PythonRequirementEntry,
} from "./python-entries.ts";
import { reportIndexesWithUnknownHost } from "./python-indexes.ts";

/** Reads the requirements in the tables of Hatch, Rye, Flit and Pixi in a pyproject.toml. */
export function readPyprojectToolEntries(tool: JsonObject): PythonRequirementEntry[] {
  return [
    ...readHatchEntries(tool["hatch"]),
    ...parseRequirementEntryList(
      asJsonObjectOrEmpty(tool["rye"])["dev-dependencies"],
      "development",
    ),
    ...flitEntries(asJsonObjectOrEmpty(asJsonObjectOrEmpty(tool["flit"])["metadata"])),
    ...readPixiEntries(tool["pixi"]),
    ...reportIndexesWithUnknownHost(tool),
  ];
}

/**
 * Environments, targets and hooks of a build have lists of dependencies; an override may have
 * them as tables, and have `set-` before the name. `env.requires` has plugins.
 */
export function readHatchEntries(hatch: unknown): PythonRequirementEntry[] {
  const plugins = parseRequirementEntryList(
    asJsonObjectOrEmpty(asJsonObjectOrEmpty(hatch)["env"])["requires"],
    "plugin",
  );
  const lists = membersBelow(hatch, /^(?:set-)?(?:extra-)?dependencies$/);
  return [
    ...lists.flatMap(([, value]) => parseRequirementEntryList(hatchTexts(value), "development")),
    ...plugins,
  ];
}

function hatchTexts(value: unknown): unknown {
  const items: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  return (
    items?.map((item) => asNonBlankString(asJsonObjectOrEmpty(item)["value"]) ?? item) ?? value
  );
}

function flitEntries(metadata: JsonObject): PythonRequirementEntry[] {
  return [
    ...parseRequirementEntryList(metadata["requires"], "production"),
    ...parseRequirementEntryList(metadata["dev-requires"], "development"),
    ...Object.entries(asJsonObjectOrEmpty(metadata["requires-extra"])).flatMap(([group, list]) =>
      parseRequirementEntryList(list, group),
    ),
  ];
}

/** Tables of the whole project, of its features and platforms, and of a package that it builds. */
export function readPixiEntries(pixi: unknown): PythonRequirementEntry[] {
  const tables = membersBelow(pixi, pixiTables);
  const takesPrereleases = tables.some(
    ([name, table]) =>
      name === "pypi-options" && asJsonObjectOrEmpty(table)["prerelease-mode"] === "allow",
  );
  const entries = tables.flatMap(([name, table]): PythonRequirementEntry[] => {
    if (name === "pypi-dependencies") return pixiPypiEntries(table);
    if (name === "pypi-options") return pixiOptions(asJsonObjectOrEmpty(table));
    if (!isJsonObject(table)) return parseRequirementEntryTable(table, "production");
    return Object.keys(table).map((text) => ({
      group: "production",
      text,
      name: text,
      reason: "conda: packages of conda are not assessed",
    }));
  });
  return takesPrereleases ? entries.map(includeEntryPrereleases) : entries;
}

const pixiTables = /^(?:pypi-options|(?:[a-z]{1,20}-)?dependencies|run-constraints)$/;

/** A package may have an index of its own. */
function pixiPypiEntries(table: unknown): PythonRequirementEntry[] {
  if (!isJsonObject(table)) return parseRequirementEntryTable(table, "production");
  return Object.entries(table).flatMap(([name, value]) => {
    const tables: readonly unknown[] = Array.isArray(value) ? value : [value];
    const indexes = tables.flatMap(
      (each) => asNonBlankString(asJsonObjectOrEmpty(each)["index"]) ?? [],
    );
    const origin = mergePackageDownloadSources(
      indexes.map((index) => toRegistryDownloadSource("pypi", index)),
    );
    return parseRequirementEntryTable({ [name]: value }, "production").map((entry) =>
      applyEntryDownloadSource(entry, origin),
    );
  });
}

function pixiOptions(options: JsonObject): PythonRequirementEntry[] {
  const group = "production";
  const overrides = parseRequirementEntryTable(options["dependency-overrides"], "override");
  const isIndex = Object.keys(options).some((name) => /index|find-links/.test(name));
  const reason = "index_option: names may come from elsewhere";
  return isIndex ? [...overrides, { group, text: "pypi-options", reason }] : overrides;
}

/** Members of certain names anywhere below a value. */
function membersBelow(value: unknown, names: RegExp): (readonly [name: string, value: unknown])[] {
  if (Array.isArray(value))
    return asJsonObjectElements(value).flatMap((each) => membersBelow(each, names));
  return Object.entries(asJsonObjectOrEmpty(value)).flatMap(([name, member]) =>
    names.test(name) ? [[name, member] as const] : membersBelow(member, names),
  );
}
