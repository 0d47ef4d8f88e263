import { asRecord, asText, type JsonObject } from "../../platform/json-value.ts";
import { dependenciesIn, type GraphRoot, type PackageNode } from "../dependency-graph.ts";
import { UnreadableText, type DependencyFile } from "../dependency-file.ts";
import { yamlDocuments, type YamlDocument } from "../document/yaml-document.ts";

const groups: readonly (readonly [member: string, group: string])[] = [
  ["dependencies", "production"],
  ["optionalDependencies", "optional"],
  ["devDependencies", "development"],
  ["configDependencies", "development"],
];

/**
 * Reads a pnpm-lock.yaml of the versions 5, 6 and 9; of several documents in it
 * (version 11 of pnpm keeps its own packages in one) all.
 */
export function readPnpmLock(text: string): DependencyFile {
  const files = yamlDocuments(text).map(readDocument);
  if (files.length === 0) throw new UnreadableText("empty");
  return {
    dependencies: files.flatMap(({ dependencies }) => dependencies),
    unparsed: files.flatMap(({ unparsed }) => unparsed),
    members: files.flatMap(({ members = [] }) => members),
  };
}

function readDocument(document: YamlDocument): DependencyFile {
  const { value } = document;
  if (asText(value["lockfileVersion"]) === undefined) {
    throw new UnreadableText("invalid_lock: it has no lockfileVersion", 1);
  }
  const lines = document.lines("packages");
  const nodes = new Map<string, PackageNode>();
  const details = new Map(Object.entries(asRecord(value["packages"])));
  // Version 9 has the packages in one member and what they need in another, by peers.
  const needs = Object.hasOwn(value, "snapshots") ? asRecord(value["snapshots"]) : undefined;
  for (const [key, entry] of Object.entries(needs ?? asRecord(value["packages"]))) {
    const plain = withoutPeers(key);
    const detail = asRecord(details.get(key) ?? details.get(plain));
    nodes.set(key, nodeOf(key, asRecord(entry), detail, lines.get(key) ?? lines.get(plain)));
  }
  const importers = Object.entries(asRecord(value["importers"] ?? { ".": value }));
  const roots = importers.flatMap(([, entry]) => rootsOf(asRecord(entry), nodes));
  return {
    ...dependenciesIn({ ecosystem: "npm", nodes, roots }),
    members: importers.map(([folder]) => folder),
  };
}

function nodeOf(
  key: string,
  entry: JsonObject,
  detail: JsonObject,
  line: number | undefined,
): PackageNode {
  const named = packageOf(key);
  const name = asText(detail["name"]) ?? named.name;
  const version = asText(detail["version"]) ?? named.version;
  return {
    name,
    ...(version !== undefined && { version }),
    line,
    requires: [entry["dependencies"], entry["optionalDependencies"]].flatMap((member) =>
      Object.entries(asRecord(member)).flatMap(([other, reference]) =>
        keysOf(other, String(reference)),
      ),
    ),
    reason: reasonOf(key, asRecord(detail["resolution"])),
  };
}

function rootsOf(importer: JsonObject, nodes: ReadonlyMap<string, PackageNode>): GraphRoot[] {
  return groups.flatMap(([member, group]) =>
    Object.entries(asRecord(importer[member])).flatMap(([name, value]) => {
      const reference = asText(value) ?? asText(asRecord(value)["version"]) ?? "";
      const key = keysOf(name, reference).find((candidate) => nodes.has(candidate));
      return key === undefined ? [] : [{ key, group }];
    }),
  );
}

/** Keys that a reference may mean: a version of the name, or a key (of an alias, an address). */
function keysOf(name: string, reference: string): string[] {
  return [`${name}@${reference}`, `/${name}@${reference}`, `/${name}/${reference}`, reference];
}

/** `/@scope/name/1.0.0_peers`, `/name@1.0.0(peers)`, `name@1.0.0(peers)`. */
function packageOf(key: string): { readonly name: string; readonly version?: string } {
  const plain = withoutPeers(key).replace(/^\//, "");
  const [, name = plain, version] =
    /^((?:@[^/@]+\/)?[^/@]+)@(.+)$/.exec(plain) ??
    /^((?:@[^/]+\/)?[^/]+)\/([^/_]+)(?:_.*)?$/.exec(plain) ??
    [];
  return { name, ...(version !== undefined && { version }) };
}

function withoutPeers(key: string): string {
  const at = key.indexOf("(");
  return at === -1 ? key : key.slice(0, at);
}

function reasonOf(key: string, { type, repo, directory, tarball }: JsonObject): string | undefined {
  if (type === "git" || repo !== undefined || /@git\+|codeload\.github/.test(key)) return "git";
  if (type === "directory" || directory !== undefined || /(^|@)(file|link):/.test(key)) {
    return "local";
  }
  if (/@https?:/.test(key)) return /\bgit/.test(key) ? "git" : "url";
  // In version 5 and 6 what is not of the registry has no slash in front of it.
  if (typeof tarball !== "string" || !isAddress(key)) return undefined;
  return tarball.includes("git") ? "git" : "url";
}

/** `codeload.example/a/b`: a dot before a slash, and before any `@`. */
function isAddress(key: string): boolean {
  const [host = ""] = key.split("@", 1);
  const dot = host.indexOf(".", 1);
  return !host.startsWith("/") && dot !== -1 && host.includes("/", dot);
}
