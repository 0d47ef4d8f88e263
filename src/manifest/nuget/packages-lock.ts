import { asRecord, asText, type JsonObject } from "../../platform/json-value.ts";
import { dependenciesIn, type GraphRoot, type PackageNode } from "../dependency-graph.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { UnreadableText } from "../dependency-file.ts";
import { jsonObject } from "../document/json-document.ts";
import { memberLines } from "../document/member-lines.ts";

/** Reads a packages.lock.json, which has the packages once for each framework. */
export function readPackagesLock(text: string): DependencyFile {
  const lock = jsonObject(text);
  if (lock["dependencies"] === undefined) {
    throw new UnreadableText("invalid_lock: it has no dependencies", 1);
  }
  const lines = memberLines(text, 3);
  const nodes = new Map<string, PackageNode>();
  const roots: GraphRoot[] = [];
  const frameworks = Object.entries(asRecord(lock["dependencies"]));
  for (const [at, [framework, packages]] of frameworks.entries()) {
    for (const [name, value] of Object.entries(asRecord(packages))) {
      const entry = asRecord(value);
      const key = keyOf(at, name);
      const needed = neededKeys(at, entry);
      // A project of the same solution leads to its packages, and is none itself.
      if (entry["type"] === "Project") {
        for (const each of needed) roots.push({ key: each, group: "production" });
        continue;
      }
      nodes.set(key, nodeOf(name, entry, needed, lines("dependencies", framework, name)));
      if (entry["type"] === "Direct") roots.push({ key, group: "production" });
    }
  }
  return dependenciesIn({ ecosystem: "nuget", nodes, roots });
}

function nodeOf(
  name: string,
  entry: JsonObject,
  requires: readonly string[],
  line: number | undefined,
): PackageNode {
  const version = asText(entry["resolved"]);
  return {
    name,
    ...(version !== undefined && { version }),
    line,
    requires,
  };
}

function neededKeys(framework: number, entry: JsonObject): string[] {
  return Object.keys(asRecord(entry["dependencies"])).map((name) => keyOf(framework, name));
}

/** By the number of the framework: each package would repeat a name. */
function keyOf(framework: number, name: string): string {
  return `${framework.toString()} ${name.toLowerCase()}`;
}
