import { asRecord, asText, asTexts, type JsonObject } from "../../platform/json-value.ts";
import type { ReadSibling } from "../dependency-file.ts";
import { parseToml } from "../document/toml-document.ts";

/** A library of a version catalogue. */
export interface CatalogLibrary {
  readonly name: string;
  readonly requested: string | null;
  readonly version?: string;
}

/** A plugin of a version catalogue. */
export interface CatalogPlugin {
  readonly id: string;
  readonly version: string | undefined;
}

/** Libraries, bundles of libraries, and plugins of a version catalogue, by accessor (`spring.boot`). */
export interface GradleCatalog {
  readonly libraries: ReadonlyMap<string, readonly CatalogLibrary[]>;
  readonly plugins: ReadonlyMap<string, CatalogPlugin>;
}

/** How far up the root of a build may be. */
const maxParentFolders = 3;

/** Reads `gradle/libs.versions.toml`; empty without one. */
export function gradleCatalog(beside: ReadSibling): GradleCatalog {
  for (let up = 0; up <= maxParentFolders; up += 1) {
    const text = beside(`${"../".repeat(up)}gradle/libs.versions.toml`);
    if (text !== undefined) return readCatalog(parseToml(text));
  }
  return { libraries: new Map(), plugins: new Map() };
}

function readCatalog(document: JsonObject): GradleCatalog {
  const versions = new Map(Object.entries(asRecord(document["versions"])));
  const libraries = new Map(
    Object.entries(asRecord(document["libraries"])).flatMap(([alias, value]) => {
      const library = libraryOf(value, versions);
      return library === undefined ? [] : [[accessor(alias), library] as const];
    }),
  );
  const rows = new Map([...libraries].map(([alias, library]) => [alias, [library]]));
  for (const [alias, members] of Object.entries(asRecord(document["bundles"]))) {
    const found = asTexts(members).flatMap((member) => libraries.get(accessor(member)) ?? []);
    rows.set(`bundles.${accessor(alias)}`, found);
  }
  const plugins = Object.entries(asRecord(document["plugins"])).flatMap(([alias, value]) => {
    const plugin = pluginOf(value, versions);
    return plugin === undefined ? [] : [[accessor(alias), plugin] as const];
  });
  return { libraries: rows, plugins: new Map(plugins) };
}

/** `"x:1.0"`, or `id` and `version` of a table. */
function pluginOf(
  value: unknown,
  versions: ReadonlyMap<string, unknown>,
): CatalogPlugin | undefined {
  const [inText, version] = (asText(value) ?? "").split(":");
  const table = asRecord(value);
  const id = asText(table["id"]) ?? asText(inText);
  return id === undefined
    ? undefined
    : { id, version: version ?? versionOf(table["version"], versions) };
}

/** Gradle makes a dot of what parts the words of an alias. */
function accessor(alias: string): string {
  return alias.replaceAll(/[-_]/g, ".");
}

function libraryOf(
  value: unknown,
  versions: ReadonlyMap<string, unknown>,
): CatalogLibrary | undefined {
  const [group, artifact, inText] = (asText(value) ?? "").split(":");
  const table = asRecord(value);
  const name =
    artifact === undefined
      ? (asText(table["module"]) ??
        `${asText(table["group"]) ?? ""}:${asText(table["name"]) ?? ""}`)
      : `${group ?? ""}:${artifact}`;
  if (name === ":") return undefined;
  const requested = inText ?? versionOf(table["version"], versions) ?? null;
  const isExact = requested !== null && !/[[\](,+]/.test(requested);
  return { name, requested, ...(isExact && { version: requested }) };
}

function versionOf(value: unknown, versions: ReadonlyMap<string, unknown>): string | undefined {
  const reference = asText(asRecord(value)["ref"]);
  const found = reference === undefined ? value : versions.get(reference);
  const rich = asRecord(found);
  return (
    asText(found) ?? asText(rich["strictly"]) ?? asText(rich["require"]) ?? asText(rich["prefer"])
  );
}
