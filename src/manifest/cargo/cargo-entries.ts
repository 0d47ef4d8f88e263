import { asRecord, asText, type JsonObject } from "../../platform/json-value.ts";
import type { Beside } from "../dependency-file.ts";
import { tomlDocument } from "../document/toml-document.ts";

/** What a Cargo.toml asks for. */
export interface CargoEntry {
  /** As the registry has it, also where the project calls it something else. */
  readonly name: string;
  readonly alias: string;
  readonly group: string;
  readonly requested: string | null;
  /** Why it is no package of the registry. */
  readonly reason?: string;
}

const groups: readonly (readonly [member: string, group: string])[] = [
  ["dependencies", "production"],
  ["dev-dependencies", "development"],
  ["dev_dependencies", "development"],
  ["build-dependencies", "build"],
  ["build_dependencies", "build"],
];

/** How far up the folder of a workspace may be. */
const farthest = 5;

/** The dependencies of a Cargo.toml: its own, those of targets, and those of a workspace. */
export function cargoEntries(document: JsonObject, beside: Beside): CargoEntry[] {
  const targets = Object.values(asRecord(document["target"])).map(asRecord);
  const workspace = asRecord(document["workspace"]);
  const inherited = lazily(() => inheritedTable(workspace, beside));
  const own = [document, ...targets].flatMap((table) =>
    groups.flatMap(([member, group]) =>
      Object.entries(asRecord(table[member])).map(([name, value]) =>
        entryOf(name, value, group, inherited),
      ),
    ),
  );
  const shared = Object.entries(asRecord(workspace["dependencies"])).map(([name, value]) =>
    entryOf(name, value, "production", inherited),
  );
  return [...own, ...shared];
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
  const reason = reasonOf(table, requested);
  return { name, alias, group, requested, ...(reason !== undefined && { reason }) };
}

/** With a version it is of the registry for everybody else. */
function reasonOf(table: JsonObject, requested: string | null): string | undefined {
  if (table["git"] !== undefined) return "git";
  return table["path"] !== undefined && requested === null ? "local" : undefined;
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
function inheritedTable(own: JsonObject, beside: Beside): JsonObject | undefined {
  if (own["dependencies"] !== undefined) return asRecord(own["dependencies"]);
  for (let up = 1; up <= farthest; up += 1) {
    const text = beside(`${"../".repeat(up)}Cargo.toml`);
    const workspace = text === undefined ? undefined : tomlDocument(text)["workspace"];
    if (workspace !== undefined) return asRecord(asRecord(workspace)["dependencies"]);
  }
  return undefined;
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
