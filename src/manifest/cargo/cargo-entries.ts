import {
  asJsonObjectOrEmpty,
  asNonBlankString,
  asNonBlankStrings,
  isJsonObject,
  type JsonObject,
} from "../../platform/json-value.ts";
import type { SiblingFileReader } from "../dependency-file.ts";
import { parseToml } from "../document/toml-document.ts";
import { truncateToExcerpt } from "../manifest.ts";
import {
  toGitDownloadSource,
  defaultPackageDownloadSource,
  toRegistryDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";

/** What a Cargo.toml asks for. */
export interface CargoDependencyEntry {
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
export function readCargoDependencyEntries(
  document: JsonObject,
  beside: SiblingFileReader,
): CargoDependencyEntry[] {
  const targets = Object.values(asJsonObjectOrEmpty(document["target"])).map(asJsonObjectOrEmpty);
  const workspace = asJsonObjectOrEmpty(document["workspace"]);
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
): CargoDependencyEntry[] {
  if (table !== undefined && !isJsonObject(table)) {
    const reason = "invalid_line: it is not a table";
    return [{ name: member, alias: member, group, requested: null, reason }];
  }
  return Object.entries(asJsonObjectOrEmpty(table)).map(([name, value]) =>
    entryOf(name, value, group, inherited),
  );
}

function entryOf(
  alias: string,
  value: unknown,
  group: string,
  inherited: () => JsonObject | undefined,
): CargoDependencyEntry {
  const table = asJsonObjectOrEmpty(value);
  if (table["workspace"] === true) return inheritedEntry(alias, group, inherited);
  const name = asNonBlankString(table["package"]) ?? alias;
  const requested = asNonBlankString(value) ?? asNonBlankString(table["version"]) ?? null;
  const folder = asNonBlankString(table["path"]);
  const at = folder === undefined ? {} : { folder };
  return { name, alias, group, requested, ...at, ...originOf(table) };
}

/** A folder comes before a version, which is for those who publish the crate. */
function originOf(table: JsonObject): PackageDownloadOrigin {
  if (table["git"] !== undefined) return toGitDownloadSource(asNonBlankString(table["git"]));
  if (table["path"] !== undefined) return { reason: "local" };
  const index = asNonBlankString(table["registry-index"])?.replace(/^sparse\+/, "");
  if (index !== undefined) return toRegistryDownloadSource("cargo", index);
  // The address of a name is in the configuration of Cargo, which is not read.
  const name = asNonBlankString(table["registry"]);
  return name === undefined || name === defaultRegistry
    ? defaultPackageDownloadSource
    : { hosts: [truncateToExcerpt(name)] };
}

/**
 * What takes the place of crates, wherever they are needed: `[patch]` of any registry or
 * repository, and `[replace]`, whose keys have a version behind the name.
 */
export function readCrateReplacements(document: JsonObject): CargoDependencyEntry[] {
  const tables = [...Object.values(asJsonObjectOrEmpty(document["patch"])), document["replace"]];
  return tables.flatMap((table) =>
    Object.entries(asJsonObjectOrEmpty(table)).map(([key, value]) => {
      const alias = key.split(/[:@]/, 1)[0] ?? key;
      return entryOf(alias, value, "production", () => undefined);
    }),
  );
}

/** Folders of the crates of a workspace, as patterns; `!` is before those that it excludes. */
export function readCargoWorkspacePatterns(document: JsonObject): string[] {
  const { members, exclude } = asJsonObjectOrEmpty(document["workspace"]);
  return [
    ...asNonBlankStrings(members),
    ...asNonBlankStrings(exclude).map((folder) => `!${folder}`),
  ];
}

function inheritedEntry(
  alias: string,
  group: string,
  inherited: () => JsonObject | undefined,
): CargoDependencyEntry {
  const table = inherited();
  if (table !== undefined && Object.hasOwn(table, alias)) {
    return entryOf(alias, table[alias], group, () => undefined);
  }
  const reason = "reference: the workspace that it refers to was not found";
  return { name: alias, alias, group, requested: null, reason };
}

/** `workspace.dependencies` of this file or of one further up. */
function inheritedTable(own: JsonObject, beside: SiblingFileReader): JsonObject | undefined {
  if (own["dependencies"] !== undefined) return asJsonObjectOrEmpty(own["dependencies"]);
  for (let up = 1; up <= maxParentFolders; up += 1) {
    const text = beside(`${"../".repeat(up)}Cargo.toml`);
    const workspace = text === undefined ? undefined : parseToml(text)["workspace"];
    if (workspace !== undefined)
      return asJsonObjectOrEmpty(asJsonObjectOrEmpty(workspace)["dependencies"]);
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
