import { asRecord, asText, asTexts, type JsonObject } from "../../platform/json-value.ts";
import type { Beside } from "../dependency-file.ts";
import { tomlDocument } from "../document/toml-document.ts";

/** A library of a version catalogue. */
export interface CatalogLibrary {
  readonly name: string;
  readonly requested: string | null;
  readonly version?: string;
}

/** How far up the root of a build may be. */
const farthest = 3;

/** Libraries and bundles of `gradle/libs.versions.toml` by their accessor, `spring.boot`; empty without one. */
export function gradleCatalog(beside: Beside): ReadonlyMap<string, readonly CatalogLibrary[]> {
  for (let up = 0; up <= farthest; up += 1) {
    const text = beside(`${"../".repeat(up)}gradle/libs.versions.toml`);
    if (text !== undefined) return readCatalog(tomlDocument(text));
  }
  return new Map();
}

function readCatalog(document: JsonObject): ReadonlyMap<string, readonly CatalogLibrary[]> {
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
  return rows;
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
