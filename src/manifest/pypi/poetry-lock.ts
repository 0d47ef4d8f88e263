import {
  asRecord,
  asRecords,
  asText,
  asTexts,
  type JsonObject,
} from "../../platform/json-value.ts";
import { dependenciesIn, type PackageNode } from "../dependency-graph.ts";
import { UnreadableText, type Beside, type DependencyFile } from "../dependency-file.ts";
import { tableLines, tomlDocument } from "../document/toml-document.ts";
import { projectName } from "./project-name.ts";
import { pyprojectEntries } from "./pyproject-entries.ts";
import { pythonRoots } from "./python-roots.ts";

/** Reads a poetry.lock; the pyproject.toml beside it says what is direct. A name may have several versions. */
export function readPoetryLock(text: string, beside: Beside): DependencyFile {
  const lock = tomlDocument(text);
  if (lock["package"] === undefined && lock["metadata"] === undefined) {
    throw new UnreadableText("invalid_lock: it has neither packages nor metadata", 1);
  }
  const packages = asRecords(lock["package"]);
  const lines = tableLines(text, "package", packages.length);
  const references = keysByName(packages);
  const nodes = new Map(
    packages.map((entry, at) => [keyOf(entry), nodeOf(entry, references, lines[at])] as const),
  );
  const roots = pythonRoots(beside, "pyproject.toml", pyprojectEntries);
  return dependenciesIn({ ecosystem: "pypi", nodes, references, roots });
}

function keyOf(entry: JsonObject): string {
  return `${projectName(asText(entry["name"]) ?? "")}@${asText(entry["version"]) ?? ""}`;
}

/** Which of several versions is meant depends on the interpreter: all of them are. */
function keysByName(packages: readonly JsonObject[]): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, string[]>();
  for (const entry of packages) {
    const name = projectName(asText(entry["name"]) ?? "");
    const known = keys.get(name);
    if (known === undefined) keys.set(name, [keyOf(entry)]);
    else known.push(keyOf(entry));
  }
  return keys;
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
      .map(projectName)
      .filter((name) => references.has(name)),
    ...(groups.length > 0 && { groups }),
    reason: sourceReason(asRecord(entry["source"])),
  };
}

/** Version 2.1 of the format has `groups`, early ones a `category`. */
function groupsOf(entry: JsonObject): string[] {
  const words = [...asTexts(entry["groups"]), ...asTexts([entry["category"]])];
  return words.map((word) => {
    if (word === "main") return "production";
    return word === "dev" ? "development" : word;
  });
}

function sourceReason({ type }: JsonObject): string | undefined {
  if (type === "git") return "git";
  if (type === "directory" || type === "file") return "local";
  return type === "url" ? "url" : undefined;
}
