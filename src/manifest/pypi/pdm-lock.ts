import {
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  asNonBlankStrings,
  type JsonObject,
} from "../../platform/json-value.ts";
import {
  DependencyFileSyntaxError,
  type DependencyFile,
  type SiblingFileReader,
} from "../dependency-file.ts";
import {
  flattenDependencyGraph,
  type DependencyWithoutLockEntry,
  type DependencyGraphNode,
} from "../dependency-graph.ts";
import {
  findTomlTableLines,
  readTomlLockPackageTables,
  parseToml,
} from "../document/toml-document.ts";
import {
  mergePackageDownloadSources,
  defaultPackageDownloadSource,
  toPythonFileDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";
import { indexLockEntriesByReference } from "../position-keys.ts";
import { normalizePypiProjectName } from "./project-name.ts";
import { readPyprojectEntries } from "./pyproject-entries.ts";
import { parsePep508Entry, readPythonTableDownloadSource } from "./python-entries.ts";
import { readAdjacentPythonManifest } from "./python-roots.ts";

/** Reads a pdm.lock; the pyproject.toml in its folder says what is direct. A name may have several entries, one for each set of extras. */
export function parsePdmLock(text: string, beside: SiblingFileReader): DependencyFile {
  const lock = parseToml(text);
  if (lock["metadata"] === undefined) {
    throw new DependencyFileSyntaxError("invalid_lock: it has no metadata", 1);
  }
  const packages = readTomlLockPackageTables(lock);
  const lines = findTomlTableLines(text, "package", packages.length);
  const references = indexLockEntriesByReference(packages.map((entry) => [nameOf(entry)]));
  const filesOf = sharedFiles(asJsonObjectOrEmpty(asJsonObjectOrEmpty(lock["metadata"])["files"]));
  const nodes = new Map(
    packages.map((entry, at) => {
      const node = nodeOf(entry, references, lines[at]);
      return [at.toString(), { ...node, ...originOf(entry, filesOf(entry)) }] as const;
    }),
  );
  const roots = readAdjacentPythonManifest(beside, "pyproject.toml", readPyprojectEntries);
  return flattenDependencyGraph({ ecosystem: "pypi", nodes, references, roots });
}

function nameOf(entry: { readonly name?: unknown }): string {
  return normalizePypiProjectName(asNonBlankString(entry.name) ?? "");
}

function nodeOf(
  entry: JsonObject,
  references: ReadonlyMap<string, readonly string[]>,
  line: number | undefined,
): DependencyGraphNode {
  const version = asNonBlankString(entry["version"]);
  const groups = asNonBlankStrings(entry["groups"]).map(groupName);
  const needs = asNonBlankStrings(entry["dependencies"]).map((text) =>
    parsePep508Entry(text, "production"),
  );
  return {
    name: asNonBlankString(entry["name"]) ?? "",
    ...(version !== undefined && { version }),
    line,
    requires: needs.map(nameOf).filter((name) => references.has(name)),
    missing: needs
      .filter((need) => !references.has(nameOf(need)))
      .map((need): DependencyWithoutLockEntry => ({
        requested: null,
        ...need,
        name: need.name ?? "",
      })),
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
    files.set(pin, [...(files.get(pin) ?? []), ...asJsonObjectElements(list)]);
  }
  return ({ name, version }) =>
    files.get(pinOf(asNonBlankString(name) ?? "", asNonBlankString(version) ?? "")) ?? [];
}

function pinOf(name: string, version: string): string {
  return `${normalizePypiProjectName(name.split("[", 1)[0] ?? "")} ${version}`;
}

/** PDM installs from the addresses in the file, if it has any. */
function originOf(entry: JsonObject, shared: readonly JsonObject[]): PackageDownloadOrigin {
  const source = readPythonTableDownloadSource(entry);
  if (source.reason !== undefined) return source;
  const [name = "", version = ""] = [
    asNonBlankString(entry["name"]),
    asNonBlankString(entry["version"]),
  ];
  return mergePackageDownloadSources(
    [...asJsonObjectElements(entry["files"]), ...shared].map((file) => {
      const address = asNonBlankString(file["url"]);
      return address === undefined
        ? defaultPackageDownloadSource
        : toPythonFileDownloadSource(name, version, address);
    }),
  );
}
