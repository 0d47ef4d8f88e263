import {
  asJsonObjectOrEmpty,
  asNonBlankString,
  isJsonObject,
  type JsonObject,
} from "../../platform/json-value.ts";
import {
  flattenDependencyGraph,
  type DependencyGraphRoot,
  type DependencyGraphNode,
} from "../dependency-graph.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { DependencyFileSyntaxError } from "../dependency-file.ts";
import { parseJsonObject } from "../document/json-document.ts";
import { createJsonMemberLineLookup } from "../document/member-lines.ts";
import { indexLockEntriesByReference } from "../position-keys.ts";
import { findNugetMinimumVersion } from "./nuget-version.ts";

/** Reads a packages.lock.json, which has the packages once for each framework. */
export function parseNugetPackagesLock(text: string): DependencyFile {
  const { dependencies } = parseJsonObject(text);
  if (!isJsonObject(dependencies) || !Object.values(dependencies).every(isJsonObject)) {
    throw new DependencyFileSyntaxError("invalid_lock: it has no dependencies", 1);
  }
  const lines = createJsonMemberLineLookup(text, 3);
  const nodes = new Map<string, DependencyGraphNode>();
  const roots: DependencyGraphRoot[] = [];
  const found: string[][] = [];
  const addNode = (reference: string, node: DependencyGraphNode) => {
    nodes.set(found.length.toString(), node);
    found.push([reference]);
  };
  const frameworks = Object.entries(dependencies);
  for (const [at, [framework, packages]] of frameworks.entries()) {
    const known = new Set(
      Object.keys(asJsonObjectOrEmpty(packages)).map((name) => name.toLowerCase()),
    );
    for (const [name, value] of Object.entries(asJsonObjectOrEmpty(packages))) {
      const entry = asJsonObjectOrEmpty(value);
      const key = keyOf(at, name);
      const needed = neededKeys(at, entry);
      const missing = missingNeeds(entry, known);
      // A project of the same solution leads to its packages, and is none itself.
      if (entry["type"] === "Project") {
        for (const each of needed) roots.push({ key: each, group: "production" });
        for (const need of missing) addNode(keyOf(at, need.name), { ...need, requires: [] });
        continue;
      }
      const line = lines("dependencies", framework, name);
      addNode(key, { ...nodeOf(name, entry, needed, line), missing });
      if (entry["type"] === "Direct") roots.push({ key, group: "production" });
    }
  }
  const references = indexLockEntriesByReference(found);
  return flattenDependencyGraph({ ecosystem: "nuget", nodes, references, roots });
}

function nodeOf(
  name: string,
  entry: JsonObject,
  requires: readonly string[],
  line: number | undefined,
): DependencyGraphNode {
  const version = asNonBlankString(entry["resolved"]);
  return {
    name,
    ...(version !== undefined && { version }),
    line,
    requires,
  };
}

/** Needs of an entry that its framework has no entry for. */
function missingNeeds(entry: JsonObject, known: ReadonlySet<string>) {
  return Object.entries(asJsonObjectOrEmpty(entry["dependencies"]))
    .filter(([name]) => !known.has(name.toLowerCase()))
    .map(([name, range]) => {
      const requested = asNonBlankString(range) ?? null;
      const version = findNugetMinimumVersion(requested ?? "");
      return { name, requested, ...(version !== undefined && { version }) };
    });
}

function neededKeys(framework: number, entry: JsonObject): string[] {
  return Object.keys(asJsonObjectOrEmpty(entry["dependencies"])).map((name) =>
    keyOf(framework, name),
  );
}

/** By the number of the framework: each package would repeat a name. */
function keyOf(framework: number, name: string): string {
  return `${framework.toString()} ${name.toLowerCase()}`;
}
