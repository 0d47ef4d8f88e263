import { asRecord, asRecords, asText, type JsonObject } from "../../platform/json-value.ts";
import { listEntries, tableEntries, type PythonEntry } from "./python-entries.ts";

/** Reads the requirements in the tables of Hatch, Rye, Flit and Pixi in a pyproject.toml. */
export function toolEntries(tool: JsonObject): PythonEntry[] {
  return [
    ...hatchEntries(tool["hatch"]),
    ...listEntries(asRecord(tool["rye"])["dev-dependencies"], "development"),
    ...flitEntries(asRecord(asRecord(tool["flit"])["metadata"])),
    ...pixiEntries(tool["pixi"]),
  ];
}

/** Environments, targets and hooks of a build have lists of dependencies; an override may have them as tables. */
function hatchEntries(hatch: unknown): PythonEntry[] {
  return membersBelow(hatch, /^(?:extra-)?dependencies$/).flatMap(([, value]) =>
    listEntries(hatchTexts(value), "development"),
  );
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

/** Tables of the whole project, and of its features and platforms. */
function pixiEntries(pixi: unknown): PythonEntry[] {
  const group = "production";
  return membersBelow(pixi, pixiTables).flatMap(([name, table]): PythonEntry[] => {
    if (name === "pypi-dependencies") return tableEntries(table, group);
    if (name === "pypi-options") {
      return [{ group, text: name, reason: "index_option: names may come from elsewhere" }];
    }
    return Object.keys(asRecord(table)).map((text) => ({
      group,
      text,
      name: text,
      reason: "conda: packages of conda are not assessed",
    }));
  });
}

const pixiTables = /^(?:pypi-dependencies|pypi-options|(?:host-|build-)?dependencies)$/;

/** Members of certain names anywhere below a value. */
function membersBelow(value: unknown, names: RegExp): (readonly [name: string, value: unknown])[] {
  if (Array.isArray(value)) return asRecords(value).flatMap((each) => membersBelow(each, names));
  return Object.entries(asRecord(value)).flatMap(([name, member]) =>
    names.test(name) ? [[name, member] as const] : membersBelow(member, names),
  );
}
