import { asRecord, asRecords, asText, type JsonObject } from "../../platform/json-value.ts";
import { dependenciesIn, type GraphRoot, type PackageNode } from "../dependency-graph.ts";
import { UnreadableText, type DependencyFile } from "../dependency-file.ts";
import { tableLines, tomlDocument } from "../document/toml-document.ts";

/** Reads a uv.lock. Packages of the project itself are those that it finds in folders. */
export function readUvLock(text: string): DependencyFile {
  const lock = tomlDocument(text);
  if (lock["version"] === undefined) {
    throw new UnreadableText("invalid_lock: it has no version", 1);
  }
  const packages = asRecords(lock["package"]);
  const lines = tableLines(text, "package", packages.length);
  const references = keysByName(packages);
  const nodes = new Map<string, PackageNode>();
  for (const [at, entry] of packages.entries()) {
    if (folderOf(entry) === undefined)
      nodes.set(keyOf(entry), nodeOf(entry, references, lines[at]));
  }
  const members = packages.filter((entry) => folderOf(entry) !== undefined);
  const roots = members.flatMap((entry) => rootsOf(entry, references));
  return {
    ...dependenciesIn({ ecosystem: "pypi", nodes, references, roots }),
    members: members.map((entry) => folderOf(entry) ?? "."),
  };
}

/** Folder of a package of the project itself; undefined for any other, or one outside of it. */
function folderOf(entry: JsonObject): string | undefined {
  const source = asRecord(entry["source"]);
  const folder =
    asText(source["editable"]) ?? asText(source["virtual"]) ?? asText(source["directory"]);
  return folder?.startsWith("..") === true ? undefined : folder;
}

function keyOf(entry: JsonObject): string {
  return `${asText(entry["name"]) ?? ""}@${asText(entry["version"]) ?? ""}`;
}

function keysByName(packages: readonly JsonObject[]): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, string[]>();
  for (const entry of packages) {
    const name = asText(entry["name"]) ?? "";
    const known = keys.get(name);
    if (known === undefined) keys.set(name, [keyOf(entry)]);
    else known.push(keyOf(entry));
  }
  return keys;
}

/** A version is named where there are several of the package, else the name is the reference. */
function needed(value: unknown, references: ReadonlyMap<string, readonly string[]>): string[] {
  return asRecords(value).flatMap((entry) => {
    if (entry["version"] !== undefined) return [keyOf(entry)];
    const name = asText(entry["name"]) ?? "";
    return references.has(name) ? [name] : [];
  });
}

function nodeOf(
  entry: JsonObject,
  references: ReadonlyMap<string, readonly string[]>,
  line: number | undefined,
): PackageNode {
  const version = asText(entry["version"]);
  const extras = Object.values(asRecord(entry["optional-dependencies"]));
  return {
    name: asText(entry["name"]) ?? "",
    ...(version !== undefined && { version }),
    line,
    requires: [entry["dependencies"], ...extras].flatMap((value) => needed(value, references)),
    reason: sourceReason(asRecord(entry["source"])),
  };
}

function rootsOf(
  entry: JsonObject,
  references: ReadonlyMap<string, readonly string[]>,
): GraphRoot[] {
  const groups: (readonly [string, unknown])[] = [
    ["production", entry["dependencies"]],
    ...Object.entries(asRecord(entry["optional-dependencies"])),
    ...Object.entries(asRecord(entry["dev-dependencies"])).map(
      ([name, value]) => [name === "dev" ? "development" : name, value] as const,
    ),
  ];
  return groups.flatMap(([group, value]) =>
    needed(value, references).map((key) => ({ key, group })),
  );
}

function sourceReason(source: JsonObject): string | undefined {
  if (source["git"] !== undefined) return "git";
  if (source["url"] !== undefined) return "url";
  const isLocal = ["path", "editable", "directory", "virtual"].some((name) => name in source);
  return isLocal ? "local" : undefined;
}
