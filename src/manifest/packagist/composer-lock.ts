import { asRecord, asRecords, asText, type JsonObject } from "../../platform/json-value.ts";
import { dependenciesIn, type GraphRoot, type PackageNode } from "../dependency-graph.ts";
import { UnreadableText, type Beside, type DependencyFile } from "../dependency-file.ts";
import { jsonObject } from "../document/json-document.ts";
import { memberLines, type MemberLines } from "../document/member-lines.ts";

const members: readonly (readonly [member: string, group: string])[] = [
  ["packages", "production"],
  ["packages-dev", "development"],
];

/** Reads a composer.lock; the composer.json beside it says what is direct. */
export function readComposerLock(text: string, beside: Beside): DependencyFile {
  const lock = jsonObject(text);
  if (lock["packages"] === undefined) {
    throw new UnreadableText("invalid_lock: it has no packages", 1);
  }
  const lines = memberLines(text);
  const nodes = new Map<string, PackageNode>();
  for (const [member, group] of members) {
    for (const [at, entry] of asRecords(lock[member]).entries()) {
      nodes.set(nameOf(entry), nodeOf(entry, group, lines, [member, at]));
    }
  }
  return dependenciesIn({ ecosystem: "packagist", nodes, roots: rootsBeside(beside) });
}

function nameOf(entry: JsonObject): string {
  return (asText(entry["name"]) ?? "").toLowerCase();
}

function nodeOf(
  entry: JsonObject,
  group: string,
  lines: MemberLines,
  at: readonly [string, number],
): PackageNode {
  const version = asText(entry["version"]);
  return {
    name: asText(entry["name"]) ?? "",
    ...(version !== undefined && { version }),
    line: lines(...at),
    requires: Object.keys(asRecord(entry["require"])).map((name) => name.toLowerCase()),
    groups: [group],
    reason: reasonOf(entry, version),
  };
}

/** A branch is no version of the registry: it is fetched from its repository. */
function reasonOf(entry: JsonObject, version = ""): string | undefined {
  const isPath = asRecord(entry["dist"])["type"] === "path";
  if (isPath) return "local";
  return /^dev-|-dev$/.test(version) ? "git: a branch" : undefined;
}

function rootsBeside(beside: Beside): GraphRoot[] | undefined {
  const text = beside("composer.json");
  if (text === undefined) return undefined;
  try {
    const manifest = jsonObject(text);
    return ["require", "require-dev"].flatMap((member) =>
      Object.keys(asRecord(manifest[member])).map((name) => ({
        key: name.toLowerCase(),
        group: member === "require" ? "production" : "development",
      })),
    );
  } catch {
    return undefined;
  }
}
