import {
  asJsonObjectOrEmpty,
  asNonBlankString,
  asNonBlankStrings,
  type JsonObject,
} from "../../platform/json-value.ts";
import type { SiblingFileReader } from "../dependency-file.ts";
import { parseToml } from "../document/toml-document.ts";

/** A library of a version catalogue. */
export interface GradleCatalogLibrary {
  readonly name: string;
  readonly requested: string | null;
  readonly version?: string;
}

/** A plugin of a version catalogue. */
export interface GradleCatalogPlugin {
  readonly id: string;
  readonly version: string | undefined;
}

/** Libraries, bundles of libraries, and plugins of a version catalogue, by accessor (`spring.boot`). */
export interface GradleVersionCatalog {
  readonly libraries: ReadonlyMap<string, readonly GradleCatalogLibrary[]>;
  readonly plugins: ReadonlyMap<string, GradleCatalogPlugin>;
}

/** How far up the root of a build may be. */
const maxParentFolders = 3;

/** Reads `gradle/libs.versions.toml`; empty without one. */
export function readNearestGradleVersionCatalog(beside: SiblingFileReader): GradleVersionCatalog {
  for (let up = 0; up <= maxParentFolders; up += 1) {
    const text = beside(`${"../".repeat(up)}gradle/libs.versions.toml`);
    if (text !== undefined) return readCatalog(parseToml(text));
  }
  return { libraries: new Map(), plugins: new Map() };
}

function readCatalog(document: JsonObject): GradleVersionCatalog {
  const versions = new Map(Object.entries(asJsonObjectOrEmpty(document["versions"])));
  const libraries = new Map(
    Object.entries(asJsonObjectOrEmpty(document["libraries"])).flatMap(([alias, value]) => {
      const library = libraryOf(value, versions);
      return library === undefined ? [] : [[accessor(alias), library] as const];
    }),
  );
  const rows = new Map([...libraries].map(([alias, library]) => [alias, [library]]));
  for (const [alias, members] of Object.entries(asJsonObjectOrEmpty(document["bundles"]))) {
    const found = asNonBlankStrings(members).flatMap(
      (member) => libraries.get(accessor(member)) ?? [],
    );
    rows.set(`bundles.${accessor(alias)}`, found);
  }
  const plugins = Object.entries(asJsonObjectOrEmpty(document["plugins"])).flatMap(
    ([alias, value]) => {
      const plugin = pluginOf(value, versions);
      return plugin === undefined ? [] : [[accessor(alias), plugin] as const];
    },
  );
  return { libraries: rows, plugins: new Map(plugins) };
}

/** `"x:1.0"`, or `id` and `version` of a table. */
function pluginOf(
  value: unknown,
  versions: ReadonlyMap<string, unknown>,
): GradleCatalogPlugin | undefined {
  const [inText, version] = (asNonBlankString(value) ?? "").split(":");
  const table = asJsonObjectOrEmpty(value);
  const id = asNonBlankString(table["id"]) ?? asNonBlankString(inText);
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
): GradleCatalogLibrary | undefined {
  const [group, artifact, inText] = (asNonBlankString(value) ?? "").split(":");
  const table = asJsonObjectOrEmpty(value);
  const name =
    artifact === undefined
      ? (asNonBlankString(table["module"]) ??
        `${asNonBlankString(table["group"]) ?? ""}:${asNonBlankString(table["name"]) ?? ""}`)
      : `${group ?? ""}:${artifact}`;
  if (name === ":") return undefined;
  const requested = inText ?? versionOf(table["version"], versions) ?? null;
  const isExact = requested !== null && !/[[\](,+]/.test(requested);
  return { name, requested, ...(isExact && { version: requested }) };
}

function versionOf(value: unknown, versions: ReadonlyMap<string, unknown>): string | undefined {
  const reference = asNonBlankString(asJsonObjectOrEmpty(value)["ref"]);
  const found = reference === undefined ? value : versions.get(reference);
  const rich = asJsonObjectOrEmpty(found);
  return (
    asNonBlankString(found) ??
    asNonBlankString(rich["strictly"]) ??
    asNonBlankString(rich["require"]) ??
    asNonBlankString(rich["prefer"])
  );
}
