import {
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  type JsonObject,
} from "../../platform/json-value.ts";
import {
  DependencyFileSyntaxError,
  type DependencyFile,
  type SiblingFileReader,
} from "../dependency-file.ts";
import {
  flattenDependencyGraph,
  type DependencyGraphNode,
  type DependencyWithoutLockEntry,
} from "../dependency-graph.ts";
import {
  findTomlTableLines,
  parseToml,
  readTomlLockPackageTables,
} from "../document/toml-document.ts";
import {
  defaultPackageDownloadSource,
  mergePackageDownloadSources,
  toGitDownloadSource,
  toNonRegistryDownloadSource,
  toPythonFileDownloadSource,
  toRegistryDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";
import { indexLockEntriesByReference } from "../position-keys.ts";
import { normalizePypiProjectName } from "./project-name.ts";
import { readPyprojectEntries } from "./pyproject-entries.ts";
import { readAdjacentPythonManifest } from "./python-roots.ts";

type References = ReadonlyMap<string, readonly string[]>;

/**
 * Reads a pylock.toml (PEP 751); the pyproject.toml in its folder says what is direct. A package
 * counts whatever its marker is, since other machines install it.
 */
export function parsePylock(text: string, beside: SiblingFileReader): DependencyFile {
  const lock = parseToml(text);
  if (lock["lock-version"] === undefined) {
    throw new DependencyFileSyntaxError("invalid_lock: it has no lock-version", 1);
  }
  const packages = readTomlLockPackageTables({ package: lock["packages"] ?? [] });
  const lines = findTomlTableLines(text, "packages", packages.length);
  const references = indexLockEntriesByReference(
    packages.map((entry) => [nameOf(entry), pinOf(entry)]),
  );
  const nodes = new Map(
    packages.map((entry, at) => [at.toString(), nodeOf(entry, references, lines[at])] as const),
  );
  const roots = readAdjacentPythonManifest(beside, "pyproject.toml", readPyprojectEntries);
  return flattenDependencyGraph({ ecosystem: "pypi", nodes, references, roots });
}

function nameOf(entry: JsonObject): string {
  return normalizePypiProjectName(asNonBlankString(entry["name"]) ?? "");
}

function pinOf(entry: JsonObject): string {
  return `${nameOf(entry)}@${asNonBlankString(entry["version"]) ?? ""}`;
}

function nodeOf(
  entry: JsonObject,
  references: References,
  line: number | undefined,
): DependencyGraphNode {
  const version = asNonBlankString(entry["version"]);
  const groups = groupsIn(asNonBlankString(entry["marker"]) ?? "");
  const needs = asJsonObjectElements(entry["dependencies"]);
  return {
    name: asNonBlankString(entry["name"]) ?? "",
    ...(version !== undefined && { version }),
    line,
    requires: needs.map(referenceOf).filter((reference) => references.has(reference)),
    missing: needs
      .filter((need) => !references.has(referenceOf(need)))
      .map((need): DependencyWithoutLockEntry => ({ name: nameOf(need), requested: null })),
    ...(groups.length > 0 && { groups }),
    ...originOf(entry),
  };
}

/** A need has as many members of the package as tell it from others. */
function referenceOf(need: JsonObject): string {
  return need["version"] === undefined ? nameOf(need) : pinOf(need);
}

/** Names of the groups and extras of a marker: `'dev' in dependency_groups`. */
function groupsIn(marker: string): string[] {
  const named = marker.matchAll(/["']([\w.-]{1,100})["'] in (?:dependency_groups|extras)\b/g);
  const names = [...named].map(([, name = ""]) => (name === "dev" ? "development" : name));
  return [...new Set(names)];
}

function originOf(entry: JsonObject): PackageDownloadOrigin {
  const { vcs, directory, archive } = entry;
  if (vcs !== undefined) {
    const { type, url, path } = asJsonObjectOrEmpty(vcs);
    const address = asNonBlankString(url) ?? asNonBlankString(path);
    return type === "git" || type === undefined
      ? toGitDownloadSource(address)
      : toNonRegistryDownloadSource("url: another version control", address);
  }
  if (directory !== undefined) {
    return toNonRegistryDownloadSource(
      "local",
      asNonBlankString(asJsonObjectOrEmpty(directory)["path"]),
    );
  }
  if (archive !== undefined) {
    const { url, path } = asJsonObjectOrEmpty(archive);
    const address = asNonBlankString(url);
    return address === undefined
      ? toNonRegistryDownloadSource("local", asNonBlankString(path))
      : toNonRegistryDownloadSource("url", address);
  }
  return registryOriginOf(entry);
}

/** Installers take the files from their addresses, whatever index they were listed under. */
function registryOriginOf(entry: JsonObject): PackageDownloadOrigin {
  const name = asNonBlankString(entry["name"]) ?? "";
  const version = asNonBlankString(entry["version"]) ?? "";
  const files = [
    ...asJsonObjectElements([entry["sdist"]]),
    ...asJsonObjectElements(entry["wheels"]),
  ];
  return mergePackageDownloadSources([
    toRegistryDownloadSource("pypi", asNonBlankString(entry["index"])),
    ...files.map(({ url, path }) => {
      const address = asNonBlankString(url);
      if (address !== undefined) return toPythonFileDownloadSource(name, version, address);
      return path === undefined
        ? defaultPackageDownloadSource
        : toNonRegistryDownloadSource("local", asNonBlankString(path));
    }),
  ]);
}
