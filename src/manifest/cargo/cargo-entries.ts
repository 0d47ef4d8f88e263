import { asRecord, asText, asTexts, isRecord, type JsonObject } from "../../platform/json-value.ts";
import type { ReadSibling } from "../dependency-file.ts";
import { parseToml } from "../document/toml-document.ts";
import { excerpt } from "../manifest.ts";
import { gitOrigin, publicOrigin, registryOrigin, type Origin } from "../origin.ts";

/** What a Cargo.toml asks for. */
export interface CargoEntry {
  /** As the registry has it, also where the project calls it something else. */
  readonly name: string;
  readonly alias: string;
  readonly group: string;
  readonly requested: string | null;
  /** Why it is no package of the registry. */
  readonly reason?: string;
  /** Its folder, from the manifest. */
  readonly folder?: string;
  /** Address of its repository, see `Origin`. */
  readonly address?: string;
  /** Hosts other than the public registry that it comes from. */
  readonly hosts?: readonly string[];
}

const groups: readonly (readonly [member: string, group: string])[] = [
  ["dependencies", "production"],
  ["dev-dependencies", "development"],
  ["dev_dependencies", "development"],
  ["build-dependencies", "build"],
  ["build_dependencies", "build"],
];

/** Name that Cargo has for its default registry. */
const defaultRegistry = "crates-io";

/** How far up the folder of a workspace may be. */
const maxParentFolders = 5;

/** The dependencies of a Cargo.toml: its own, those of targets, and those of a workspace. */
export function cargoEntries(document: JsonObject, beside: ReadSibling): CargoEntry[] {
  const targets = Object.values(asRecord(document["target"])).map(asRecord);
  const workspace = asRecord(document["workspace"]);
  const inherited = memoize(() => inheritedTable(workspace, beside));
  const own = [document, ...targets].flatMap((table) =>
    groups.flatMap(([member, group]) => tableEntries(member, table[member], group, inherited)),
  );
  const shared = workspace["dependencies"];
  return [...own, ...tableEntries("workspace.dependencies", shared, "production", inherited)];
}

function tableEntries(
  member: string,
  table: unknown,
  group: string,
  inherited: () => JsonObject | undefined,
): CargoEntry[] {
  if (table !== undefined && !isRecord(table)) {
    const reason = "invalid_line: it is not a table";
    return [{ name: member, alias: member, group, requested: null, reason }];
  }
  return Object.entries(asRecord(table)).map(([name, value]) =>
    entryOf(name, value, group, inherited),
  );
}

function entryOf(
  alias: string,
  value: unknown,
  group: string,
  inherited: () => JsonObject | undefined,
): CargoEntry {
  const table = asRecord(value);
  if (table["workspace"] === true) return inheritedEntry(alias, group, inherited);
  const name = asText(table["package"]) ?? alias;
  const requested = asText(value) ?? asText(table["version"]) ?? null;
  const folder = asText(table["path"]);
  const at = folder === undefined ? {} : { folder };
  return { name, alias, group, requested, ...at, ...originOf(table) };
}

/** A folder comes before a version, which is for those who publish the crate. */
function originOf(table: JsonObject): Origin {
  if (table["git"] !== undefined) return gitOrigin(asText(table["git"]));
  if (table["path"] !== undefined) return { reason: "local" };
  const index = asText(table["registry-index"])?.replace(/^sparse\+/, "");
  if (index !== undefined) return registryOrigin("cargo", index);
  // The address of a name is in the configuration of Cargo, which is not read.
  const name = asText(table["registry"]);
  return name === undefined || name === defaultRegistry ? publicOrigin : { hosts: [excerpt(name)] };
}

/**
 * What takes the place of crates, wherever they are needed: `[patch]` of any registry or
 * repository, and `[replace]`, whose keys have a version behind the name.
 */
export function replacedCrates(document: JsonObject): CargoEntry[] {
  const tables = [...Object.values(asRecord(document["patch"])), document["replace"]];
  return tables.flatMap((table) =>
    Object.entries(asRecord(table)).map(([key, value]) => {
      const alias = key.split(/[:@]/, 1)[0] ?? key;
      return entryOf(alias, value, "production", () => undefined);
    }),
  );
}

/** Folders of the crates of a workspace, as patterns; `!` is before those that it excludes. */
export function workspaceMembers(document: JsonObject): string[] {
  const { members, exclude } = asRecord(document["workspace"]);
  return [...asTexts(members), ...asTexts(exclude).map((folder) => `!${folder}`)];
}

function inheritedEntry(
  alias: string,
  group: string,
  inherited: () => JsonObject | undefined,
): CargoEntry {
  const table = inherited();
  if (table !== undefined && Object.hasOwn(table, alias)) {
    return entryOf(alias, table[alias], group, () => undefined);
  }
  const reason = "reference: the workspace that it refers to was not found";
  return { name: alias, alias, group, requested: null, reason };
}

/** `workspace.dependencies` of this file or of one further up. */
function inheritedTable(own: JsonObject, beside: ReadSibling): JsonObject | undefined {
  if (own["dependencies"] !== undefined) return asRecord(own["dependencies"]);
  for (let up = 1; up <= maxParentFolders; up += 1) {
    const text = beside(`${"../".repeat(up)}Cargo.toml`);
    const workspace = text === undefined ? undefined : parseToml(text)["workspace"];
    if (workspace !== undefined) return asRecord(asRecord(workspace)["dependencies"]);
  }
  return undefined;
}

function memoize<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
