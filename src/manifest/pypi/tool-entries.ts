import {
  asRecord,
  asRecords,
  asText,
  isRecord,
  type JsonObject,
} from "../../platform/json-value.ts";
import { joinOrigins, registryOrigin } from "../origin.ts";
import { listEntries, tableEntries, withOrigin, type PythonEntry } from "./python-entries.ts";
import { indexEntries } from "./python-indexes.ts";

/** Reads the requirements in the tables of Hatch, Rye, Flit and Pixi in a pyproject.toml. */
export function toolEntries(tool: JsonObject): PythonEntry[] {
  return [
    ...hatchEntries(tool["hatch"]),
    ...listEntries(asRecord(tool["rye"])["dev-dependencies"], "development"),
    ...flitEntries(asRecord(asRecord(tool["flit"])["metadata"])),
    ...pixiEntries(tool["pixi"]),
    ...indexEntries(tool),
  ];
}

/**
 * Environments, targets and hooks of a build have lists of dependencies; an override may have
 * them as tables, and have `set-` before the name. `env.requires` has plugins.
 */
function hatchEntries(hatch: unknown): PythonEntry[] {
  const plugins = listEntries(asRecord(asRecord(hatch)["env"])["requires"], "plugin");
  const lists = membersBelow(hatch, /^(?:set-)?(?:extra-)?dependencies$/);
  return [
    ...lists.flatMap(([, value]) => listEntries(hatchTexts(value), "development")),
    ...plugins,
  ];
}

function hatchTexts(value: unknown): unknown {
  const items: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  return items?.map((item) => asText(asRecord(item)["value"]) ?? item) ?? value;
}

function flitEntries(metadata: JsonObject): PythonEntry[] {
  return [
    ...listEntries(metadata["requires"], "production"),
    ...listEntries(metadata["dev-requires"], "development"),
    ...Object.entries(asRecord(metadata["requires-extra"])).flatMap(([group, list]) =>
      listEntries(list, group),
    ),
  ];
}

/** Tables of the whole project, of its features and platforms, and of a package that it builds. */
function pixiEntries(pixi: unknown): PythonEntry[] {
  return membersBelow(pixi, pixiTables).flatMap(([name, table]): PythonEntry[] => {
    if (name === "pypi-dependencies") return pixiPypiEntries(table);
    if (name === "pypi-options") return pixiOptions(asRecord(table));
    if (!isRecord(table)) return tableEntries(table, "production");
    return Object.keys(table).map((text) => ({
      group: "production",
      text,
      name: text,
      reason: "conda: packages of conda are not assessed",
    }));
  });
}

const pixiTables = /^(?:pypi-options|(?:[a-z]{1,20}-)?dependencies|run-constraints)$/;

/** A package may have an index of its own. */
function pixiPypiEntries(table: unknown): PythonEntry[] {
  if (!isRecord(table)) return tableEntries(table, "production");
  return Object.entries(table).flatMap(([name, value]) => {
    const tables: readonly unknown[] = Array.isArray(value) ? value : [value];
    const indexes = tables.flatMap((each) => asText(asRecord(each)["index"]) ?? []);
    const origin = joinOrigins(indexes.map((index) => registryOrigin("pypi", index)));
    return tableEntries({ [name]: value }, "production").map((entry) => withOrigin(entry, origin));
  });
}

function pixiOptions(options: JsonObject): PythonEntry[] {
  const group = "production";
  const overrides = tableEntries(options["dependency-overrides"], "override");
  const isIndex = Object.keys(options).some((name) => /index|find-links/.test(name));
  const reason = "index_option: names may come from elsewhere";
  return isIndex ? [...overrides, { group, text: "pypi-options", reason }] : overrides;
}

/** Members of certain names anywhere below a value. */
function membersBelow(value: unknown, names: RegExp): (readonly [name: string, value: unknown])[] {
  if (Array.isArray(value)) return asRecords(value).flatMap((each) => membersBelow(each, names));
  return Object.entries(asRecord(value)).flatMap(([name, member]) =>
    names.test(name) ? [[name, member] as const] : membersBelow(member, names),
  );
}
