import {
  asRecord,
  asRecords,
  asText,
  asTexts,
  type JsonObject,
} from "../../platform/json-value.ts";
import { UnreadableTextError, type DependencyFile, type ReadSibling } from "../dependency-file.ts";
import { listDependencies, type MissingNeed, type PackageNode } from "../dependency-graph.ts";
import { findTableLines, lockedPackages, parseToml } from "../document/toml-document.ts";
import { joinOrigins, publicOrigin, pythonFileOrigin, type Origin } from "../origin.ts";
import { keysByReference } from "../position-keys.ts";
import { normalizeProjectName } from "./project-name.ts";
import { pyprojectEntries } from "./pyproject-entries.ts";
import { readRequirement, sourceOfMember } from "./python-entries.ts";
import { pythonRoots } from "./python-roots.ts";

/** Reads a pdm.lock; the pyproject.toml in its folder says what is direct. A name may have several entries, one for each set of extras. */
export function readPdmLock(text: string, beside: ReadSibling): DependencyFile {
  const lock = parseToml(text);
  if (lock["metadata"] === undefined) {
    throw new UnreadableTextError("invalid_lock: it has no metadata", 1);
  }
  const packages = lockedPackages(lock);
  const lines = findTableLines(text, "package", packages.length);
  const references = keysByReference(packages.map((entry) => [nameOf(entry)]));
  const filesOf = sharedFiles(asRecord(asRecord(lock["metadata"])["files"]));
  const nodes = new Map(
    packages.map((entry, at) => {
      const node = nodeOf(entry, references, lines[at]);
      return [at.toString(), { ...node, ...originOf(entry, filesOf(entry)) }] as const;
    }),
  );
  const roots = pythonRoots(beside, "pyproject.toml", pyprojectEntries);
  return listDependencies({ ecosystem: "pypi", nodes, references, roots });
}

function nameOf(entry: { readonly name?: unknown }): string {
  return normalizeProjectName(asText(entry.name) ?? "");
}

function nodeOf(
  entry: JsonObject,
  references: ReadonlyMap<string, readonly string[]>,
  line: number | undefined,
): PackageNode {
  const version = asText(entry["version"]);
  const groups = asTexts(entry["groups"]).map(groupName);
  const needs = asTexts(entry["dependencies"]).map((text) => readRequirement(text, "production"));
  return {
    name: asText(entry["name"]) ?? "",
    ...(version !== undefined && { version }),
    line,
    requires: needs.map(nameOf).filter((name) => references.has(name)),
    missing: needs
      .filter((need) => !references.has(nameOf(need)))
      .map((need): MissingNeed => ({ requested: null, ...need, name: need.name ?? "" })),
    ...(groups.length > 0 && { groups }),
  };
}

function groupName(word: string): string {
  if (word === "default") return "production";
  return word === "dev" ? "development" : word;
}

/** Early versions have the files of all packages in one table, by `name version`. */
function sharedFiles(table: JsonObject): (entry: JsonObject) => readonly JsonObject[] {
  const files = new Map<string, JsonObject[]>();
  for (const [key, list] of Object.entries(table)) {
    const [name = "", version = ""] = key.split(" ", 2);
    const pin = pinOf(name, version);
    files.set(pin, [...(files.get(pin) ?? []), ...asRecords(list)]);
  }
  return ({ name, version }) => files.get(pinOf(asText(name) ?? "", asText(version) ?? "")) ?? [];
}

function pinOf(name: string, version: string): string {
  return `${normalizeProjectName(name.split("[", 1)[0] ?? "")} ${version}`;
}

/** PDM installs from the addresses in the file, if it has any. */
function originOf(entry: JsonObject, shared: readonly JsonObject[]): Origin {
  const source = sourceOfMember(entry);
  if (source.reason !== undefined) return source;
  const [name = "", version = ""] = [asText(entry["name"]), asText(entry["version"])];
  return joinOrigins(
    [...asRecords(entry["files"]), ...shared].map((file) => {
      const address = asText(file["url"]);
      return address === undefined ? publicOrigin : pythonFileOrigin(name, version, address);
    }),
  );
}
