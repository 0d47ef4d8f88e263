import { asRecord, asText, type JsonObject } from "../../platform/json-value.ts";
import { dependenciesIn, type GraphRoot, type PackageNode } from "../dependency-graph.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { UnreadableText } from "../dependency-file.ts";
import { jsonObject } from "../document/json-document.ts";
import { memberLines, type MemberLines } from "../document/member-lines.ts";

/** Reads a packages.lock.json, which has the packages once for each framework. */
export function readPackagesLock(text: string): DependencyFile {
  const lock = jsonObject(text);
  if (lock["dependencies"] === undefined) {
    throw new UnreadableText("invalid_lock: it has no dependencies", 1);
  }
  const lines = memberLines(text, 3);
  const nodes = new Map<string, PackageNode>();
  const roots: GraphRoot[] = [];
  for (const [framework, packages] of Object.entries(asRecord(lock["dependencies"]))) {
    for (const [name, value] of Object.entries(asRecord(packages))) {
      const entry = asRecord(value);
      const key = keyOf(framework, name);
      const needed = neededKeys(framework, entry);
      // A project of the same solution leads to its packages, and is none itself.
      if (entry["type"] === "Project") {
        roots.push(...needed.map((each) => ({ key: each, group: "production" })));
        continue;
      }
      nodes.set(key, nodeOf(framework, name, entry, lines));
      if (entry["type"] === "Direct") roots.push({ key, group: "production" });
    }
  }
  return dependenciesIn({ ecosystem: "nuget", nodes, roots });
}

function nodeOf(
  framework: string,
  name: string,
  entry: JsonObject,
  lines: MemberLines,
): PackageNode {
  const version = asText(entry["resolved"]);
  return {
    name,
    ...(version !== undefined && { version }),
    line: lines("dependencies", framework, name),
    requires: neededKeys(framework, entry),
  };
}

function neededKeys(framework: string, entry: JsonObject): string[] {
  return Object.keys(asRecord(entry["dependencies"])).map((name) => keyOf(framework, name));
}

function keyOf(framework: string, name: string): string {
  return JSON.stringify([framework, name.toLowerCase()]);
}
