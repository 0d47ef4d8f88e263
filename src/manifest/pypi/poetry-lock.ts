import { asRecord, asText, asTexts, type JsonObject } from "../../platform/json-value.ts";
import { listDependencies, type MissingNeed, type PackageNode } from "../dependency-graph.ts";
import { UnreadableTextError, type ReadSibling, type DependencyFile } from "../dependency-file.ts";
import { findTableLines, lockedPackages, parseToml } from "../document/toml-document.ts";
import { addressOrigin, gitOrigin, registryOrigin, type Origin } from "../origin.ts";
import { keysByReference } from "../position-keys.ts";
import { sourceOfMember } from "./python-entries.ts";
import { poetrySpecifier } from "./poetry-specifier.ts";
import { normalizeProjectName } from "./project-name.ts";
import { pyprojectEntries } from "./pyproject-entries.ts";
import { pythonRoots } from "./python-roots.ts";

/** Reads a poetry.lock; the pyproject.toml beside it says what is direct. A name may have several versions. */
export function readPoetryLock(text: string, beside: ReadSibling): DependencyFile {
  const lock = parseToml(text);
  if (lock["package"] === undefined && lock["metadata"] === undefined) {
    throw new UnreadableTextError("invalid_lock: it has neither packages nor metadata", 1);
  }
  const packages = lockedPackages(lock);
  const lines = findTableLines(text, "package", packages.length);
  // Which of several versions is meant depends on the interpreter: all of them are.
  const references = keysByReference(
    packages.map(({ name }) => [normalizeProjectName(asText(name) ?? "")]),
  );
  const nodes = new Map(
    packages.map((entry, at) => [at.toString(), nodeOf(entry, references, lines[at])] as const),
  );
  const roots = pythonRoots(beside, "pyproject.toml", pyprojectEntries);
  return listDependencies({ ecosystem: "pypi", nodes, references, roots });
}

function nodeOf(
  entry: JsonObject,
  references: ReadonlyMap<string, readonly string[]>,
  line: number | undefined,
): PackageNode {
  const version = asText(entry["version"]);
  const groups = groupsOf(entry);
  return {
    name: asText(entry["name"]) ?? "",
    ...(version !== undefined && { version }),
    line,
    requires: Object.keys(asRecord(entry["dependencies"]))
      .map(normalizeProjectName)
      .filter((name) => references.has(name)),
    missing: missingNeeds(entry, references),
    ...(groups.length > 0 && { groups }),
    ...sourceOrigin(asRecord(entry["source"])),
  };
}

/**
 * Poetry leaves out what is needed by an extra alone, and early versions what they took for a part
 * of Python. A need may have a table for each platform.
 */
function missingNeeds(
  entry: JsonObject,
  references: ReadonlyMap<string, readonly string[]>,
): MissingNeed[] {
  return Object.entries(asRecord(entry["dependencies"])).flatMap(([name, value]): MissingNeed[] => {
    if (references.has(normalizeProjectName(name)) || unlockedNames.has(normalizeProjectName(name)))
      return [];
    const needs: readonly unknown[] = Array.isArray(value) ? value : [value];
    return needs
      .filter((need) => asRecord(need)["optional"] !== true)
      .map((need) => missingNeed(name, need));
  });
}

function missingNeed(name: string, need: unknown): MissingNeed {
  const { reason, address = "" } = sourceOfMember(need);
  if (reason !== undefined) return { name, text: `${name} ${address}`, reason };
  const text = asText(need) ?? asText(asRecord(need)["version"]) ?? "";
  const requested = poetrySpecifier(text);
  if (requested === undefined)
    return { name, text: `${name} ${text}`, reason: "invalid_specifier" };
  return { name, requested: requested === "" ? null : requested, constraint: "range" };
}

const unlockedNames = new Set(["setuptools", "pip", "distribute"]);

/** Version 2.1 of the format has `groups`, early ones a `category`. */
function groupsOf(entry: JsonObject): string[] {
  const words = [...asTexts(entry["groups"]), ...asTexts([entry["category"]])];
  return words.map((word) => {
    if (word === "main") return "production";
    return word === "dev" ? "development" : word;
  });
}

/** `legacy` is another index than the one that Poetry asks unless a project says so. */
function sourceOrigin({ type, url }: JsonObject): Origin {
  if (type === "git") return gitOrigin(asText(url));
  const address = asText(url);
  if (type === "directory" || type === "file") return addressOrigin("local", address);
  if (type === undefined || type === "legacy") return registryOrigin("pypi", address);
  return addressOrigin("url", address);
}
