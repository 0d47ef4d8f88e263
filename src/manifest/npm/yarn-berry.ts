import { posix } from "node:path";
import { asRecord, asText, type JsonObject } from "../../platform/json-value.ts";
import { dependenciesIn, type GraphRoot, type PackageNode } from "../dependency-graph.ts";
import { UnreadableText, type Beside, type DependencyFile } from "../dependency-file.ts";
import { yamlDocuments } from "../document/yaml-document.ts";
import { npmEntriesBeside } from "./npm-roots.ts";

/** What an entry is: where its package comes from, and by which version. */
interface Entry {
  readonly key: string;
  readonly record: JsonObject;
  readonly name: string;
  /** `npm:1.0.0`, `workspace:packages/app`, `patch:…`. */
  readonly source: string;
}

/** Reads the yarn.lock of Yarn 2 and later. */
export function readYarnBerry(text: string, beside: Beside): DependencyFile {
  const [document] = yamlDocuments(text);
  if (document === undefined) throw new UnreadableText("empty");
  const lines = document.lines();
  const entries = Object.entries(document.value)
    .filter(([key]) => key !== "__metadata")
    .map(([key, value]) => entryOf(key, asRecord(value)));
  const keys = new Map(
    entries.flatMap(({ key }) => key.split(",").map((part) => [part.trim(), key] as const)),
  );
  const members = entries.filter(isWorkspace);
  const nodes = new Map(
    entries
      .filter((entry) => !isWorkspace(entry))
      .map((entry) => [entry.key, nodeOf(entry, keys, lines.get(entry.key))] as const),
  );
  const groupsOf = groupsByFolder(beside);
  const roots = members.flatMap((member) => rootsOf(member, keys, groupsOf(folderOf(member))));
  return {
    ...dependenciesIn({ ecosystem: "npm", nodes, roots }),
    members: members.map(folderOf),
  };
}

function entryOf(key: string, record: JsonObject): Entry {
  const resolution = asText(record["resolution"]) ?? key;
  const [, name = resolution, source = ""] = /^(@?[^@]+)@(.*)$/s.exec(resolution) ?? [];
  return { key, record, name, source };
}

function isWorkspace({ source }: Entry): boolean {
  return source.startsWith("workspace:");
}

function folderOf({ source }: Entry): string {
  return source.slice("workspace:".length);
}

function nodeOf(
  { record, name, source }: Entry,
  keys: ReadonlyMap<string, string>,
  line: number | undefined,
): PackageNode {
  const version = asText(record["version"]);
  return {
    name,
    ...(version !== undefined && { version }),
    line,
    requires: needsOf(record).flatMap(([other, range]) => keyFor(other, range, keys) ?? []),
    reason: reasonOf(source),
  };
}

function needsOf(record: JsonObject): [name: string, range: string][] {
  return ["dependencies", "optionalDependencies"].flatMap((member) =>
    Object.entries(asRecord(record[member])).map(([name, range]): [string, string] => [
      name,
      String(range),
    ]),
  );
}

/** Early versions leave out `npm:` where a package is needed, and patches stand under their own keys. */
function keyFor(
  name: string,
  range: string,
  keys: ReadonlyMap<string, string>,
): string | undefined {
  return keys.get(`${name}@${range}`) ?? keys.get(`${name}@npm:${range}`);
}

/** A workspace has all that it needs in one list; its package.json tells what for. */
function rootsOf(
  member: Entry,
  keys: ReadonlyMap<string, string>,
  groups: ReadonlyMap<string, string>,
): GraphRoot[] {
  return needsOf(member.record).flatMap(([name, range]) => {
    const key = keyFor(name, range, keys);
    return key === undefined ? [] : [{ key, group: groups.get(name) ?? "production" }];
  });
}

/** What the package.json of a folder needs each package for; each file is read once. */
function groupsByFolder(beside: Beside): (folder: string) => ReadonlyMap<string, string> {
  const known = new Map<string, ReadonlyMap<string, string>>();
  return (path) => {
    const folder = posix.join(path);
    const groups =
      known.get(folder) ??
      new Map((npmEntriesBeside(beside, folder) ?? []).map(({ name, group }) => [name, group]));
    known.set(folder, groups);
    return groups;
  };
}

function reasonOf(source: string): string | undefined {
  if (/^(npm|patch):/.test(source)) {
    // A patched package of git has its own source in it.
    return /^patch:.*@git/.test(source) ? "git" : undefined;
  }
  if (/^(file|link|portal|exec):/.test(source)) return "local";
  return /git|#commit=/.test(source) ? "git" : "url";
}
