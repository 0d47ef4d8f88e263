import {
  asJsonObjectOrEmpty,
  asNonBlankString,
  asNonBlankStrings,
  type JsonObject,
} from "../../platform/json-value.ts";
import {
  flattenDependencyGraph,
  type DependencyWithoutLockEntry,
  type DependencyGraphNode,
} from "../dependency-graph.ts";
import {
  DependencyFileSyntaxError,
  type SiblingFileReader,
  type DependencyFile,
} from "../dependency-file.ts";
import {
  findTomlTableLines,
  readTomlLockPackageTables,
  parseToml,
} from "../document/toml-document.ts";
import {
  toNonRegistryDownloadSource,
  toGitDownloadSource,
  toRegistryDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";
import { indexLockEntriesByReference } from "../position-keys.ts";
import { readPythonTableDownloadSource } from "./python-entries.ts";
import { toPep440Specifier } from "./poetry-specifier.ts";
import { normalizePypiProjectName } from "./project-name.ts";
import { readPyprojectEntries } from "./pyproject-entries.ts";
import { readAdjacentPythonManifest } from "./python-roots.ts";

/** Reads a poetry.lock; the pyproject.toml beside it says what is direct. A name may have several versions. */
export function parsePoetryLock(text: string, beside: SiblingFileReader): DependencyFile {
  const lock = parseToml(text);
  if (lock["package"] === undefined && lock["metadata"] === undefined) {
    throw new DependencyFileSyntaxError("invalid_lock: it has neither packages nor metadata", 1);
  }
  const packages = readTomlLockPackageTables(lock);
  const lines = findTomlTableLines(text, "package", packages.length);
  // Which of several versions is meant depends on the interpreter: all of them are.
  const references = indexLockEntriesByReference(
    packages.map(({ name }) => [normalizePypiProjectName(asNonBlankString(name) ?? "")]),
  );
  const nodes = new Map(
    packages.map((entry, at) => [at.toString(), nodeOf(entry, references, lines[at])] as const),
  );
  const roots = readAdjacentPythonManifest(beside, "pyproject.toml", readPyprojectEntries);
  return flattenDependencyGraph({ ecosystem: "pypi", nodes, references, roots });
}

function nodeOf(
  entry: JsonObject,
  references: ReadonlyMap<string, readonly string[]>,
  line: number | undefined,
): DependencyGraphNode {
  const version = asNonBlankString(entry["version"]);
  const groups = groupsOf(entry);
  return {
    name: asNonBlankString(entry["name"]) ?? "",
    ...(version !== undefined && { version }),
    line,
    requires: Object.keys(asJsonObjectOrEmpty(entry["dependencies"]))
      .map(normalizePypiProjectName)
      .filter((name) => references.has(name)),
    missing: missingNeeds(entry, references),
    ...(groups.length > 0 && { groups }),
    ...sourceOrigin(asJsonObjectOrEmpty(entry["source"])),
  };
}

/**
 * Poetry leaves out what is needed by an extra alone, and early versions what they took for a part
 * of Python. A need may have a table for each platform.
 */
function missingNeeds(
  entry: JsonObject,
  references: ReadonlyMap<string, readonly string[]>,
): DependencyWithoutLockEntry[] {
  return Object.entries(asJsonObjectOrEmpty(entry["dependencies"])).flatMap(
    ([name, value]): DependencyWithoutLockEntry[] => {
      if (
        references.has(normalizePypiProjectName(name)) ||
        unlockedNames.has(normalizePypiProjectName(name))
      )
        return [];
      const needs: readonly unknown[] = Array.isArray(value) ? value : [value];
      return needs
        .filter((need) => asJsonObjectOrEmpty(need)["optional"] !== true)
        .map((need) => missingNeed(name, need));
    },
  );
}

function missingNeed(name: string, need: unknown): DependencyWithoutLockEntry {
  const { reason, address = "" } = readPythonTableDownloadSource(need);
  if (reason !== undefined) return { name, text: `${name} ${address}`, reason };
  const text =
    asNonBlankString(need) ?? asNonBlankString(asJsonObjectOrEmpty(need)["version"]) ?? "";
  const requested = toPep440Specifier(text);
  if (requested === undefined)
    return { name, text: `${name} ${text}`, reason: "invalid_specifier" };
  return { name, requested: requested === "" ? null : requested, constraint: "range" };
}

const unlockedNames = new Set(["setuptools", "pip", "distribute"]);

/** Version 2.1 of the format has `groups`, early ones a `category`. */
function groupsOf(entry: JsonObject): string[] {
  const words = [...asNonBlankStrings(entry["groups"]), ...asNonBlankStrings([entry["category"]])];
  return words.map((word) => {
    if (word === "main") return "production";
    return word === "dev" ? "development" : word;
  });
}

/** `legacy` is another index than the one that Poetry asks unless a project says so. */
function sourceOrigin({ type, url }: JsonObject): PackageDownloadOrigin {
  if (type === "git") return toGitDownloadSource(asNonBlankString(url));
  const address = asNonBlankString(url);
  if (type === "directory" || type === "file") return toNonRegistryDownloadSource("local", address);
  if (type === undefined || type === "legacy") return toRegistryDownloadSource("pypi", address);
  return toNonRegistryDownloadSource("url", address);
}
