import {
  asJsonObjectOrEmpty,
  asJsonObjectsOrEmpty,
  asNonBlankString,
  type JsonObject,
} from "../../platform/json-value.ts";
import {
  DependencyFileSyntaxError,
  type DependencyFile,
  type SiblingFileReader,
} from "../dependency-file.ts";
import {
  graphToDependencyFile,
  type PackageNode,
  type UnlistedDependency,
} from "../dependency-graph.ts";
import { findTableLines, parseToml, readLockedPackageTables } from "../document/toml-document.ts";
import {
  defaultPackageOrigin,
  mergePackageOrigins,
  toGitOrigin,
  toPackageOrigin,
  toPythonFileOrigin,
  toRegistryOrigin,
  type PackageOrigin,
} from "../origin.ts";
import { indexEntryPositionsByReference } from "../position-keys.ts";
import { normalizePypiProjectName } from "./project-name.ts";
import { readPyprojectEntries } from "./pyproject-entries.ts";
import { readSiblingPythonRequirements } from "./python-roots.ts";

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
  const packages = readLockedPackageTables({ package: lock["packages"] ?? [] });
  const lines = findTableLines(text, "packages", packages.length);
  const references = indexEntryPositionsByReference(
    packages.map((entry) => [nameOf(entry), pinOf(entry)]),
  );
  const nodes = new Map(
    packages.map((entry, at) => [at.toString(), nodeOf(entry, references, lines[at])] as const),
  );
  const roots = readSiblingPythonRequirements(beside, "pyproject.toml", readPyprojectEntries);
  return graphToDependencyFile({ ecosystem: "pypi", nodes, references, roots });
}

function nameOf(entry: JsonObject): string {
  return normalizePypiProjectName(asNonBlankString(entry["name"]) ?? "");
}

function pinOf(entry: JsonObject): string {
  return `${nameOf(entry)}@${asNonBlankString(entry["version"]) ?? ""}`;
}

function nodeOf(entry: JsonObject, references: References, line: number | undefined): PackageNode {
  const version = asNonBlankString(entry["version"]);
  const groups = groupsIn(asNonBlankString(entry["marker"]) ?? "");
  const needs = asJsonObjectsOrEmpty(entry["dependencies"]);
  return {
    name: asNonBlankString(entry["name"]) ?? "",
    ...(version !== undefined && { version }),
    line,
    requires: needs.map(referenceOf).filter((reference) => references.has(reference)),
    missing: needs
      .filter((need) => !references.has(referenceOf(need)))
      .map((need): UnlistedDependency => ({ name: nameOf(need), requested: null })),
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

function originOf(entry: JsonObject): PackageOrigin {
  const { vcs, directory, archive } = entry;
  if (vcs !== undefined) {
    const { type, url, path } = asJsonObjectOrEmpty(vcs);
    const address = asNonBlankString(url) ?? asNonBlankString(path);
    return type === "git" || type === undefined
      ? toGitOrigin(address)
      : toPackageOrigin("url: another version control", address);
  }
  if (directory !== undefined) {
    return toPackageOrigin("local", asNonBlankString(asJsonObjectOrEmpty(directory)["path"]));
  }
  if (archive !== undefined) {
    const { url, path } = asJsonObjectOrEmpty(archive);
    const address = asNonBlankString(url);
    return address === undefined
      ? toPackageOrigin("local", asNonBlankString(path))
      : toPackageOrigin("url", address);
  }
  return registryOriginOf(entry);
}

/** Installers take the files from their addresses, whatever index they were listed under. */
function registryOriginOf(entry: JsonObject): PackageOrigin {
  const name = asNonBlankString(entry["name"]) ?? "";
  const version = asNonBlankString(entry["version"]) ?? "";
  const files = [
    ...asJsonObjectsOrEmpty([entry["sdist"]]),
    ...asJsonObjectsOrEmpty(entry["wheels"]),
  ];
  return mergePackageOrigins([
    toRegistryOrigin("pypi", asNonBlankString(entry["index"])),
    ...files.map(({ url, path }) => {
      const address = asNonBlankString(url);
      if (address !== undefined) return toPythonFileOrigin(name, version, address);
      return path === undefined
        ? defaultPackageOrigin
        : toPackageOrigin("local", asNonBlankString(path));
    }),
  ]);
}
