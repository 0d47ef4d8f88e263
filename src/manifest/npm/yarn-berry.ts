import { posix } from "node:path";
import semver from "semver";
import {
  asJsonObjectOrEmpty,
  asNonBlankString,
  type JsonObject,
} from "../../platform/json-value.ts";
import {
  flattenDependencyGraph,
  type DependencyGraphRoot,
  type DependencyWithoutLockEntry,
  type DependencyGraphNode,
} from "../dependency-graph.ts";
import {
  toDeclaredRequirementKey,
  DependencyFileSyntaxError,
  type SiblingFileReader,
  type DependencyFile,
} from "../dependency-file.ts";
import {
  toNonRegistryDownloadSource,
  toGitDownloadSource,
  toNpmArchiveDownloadSource,
  markPatchedDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";
import { parseYamlDocuments } from "../document/yaml-document.ts";
import { toNpmDependencyWithoutLockEntry } from "./missing-need.ts";
import { readAdjacentPackageJsonEntries, readAdjacentPackageJsonResolutions } from "./npm-roots.ts";

/** What an entry is: where its package comes from, and by which version. */
interface Entry {
  readonly key: string;
  readonly record: JsonObject;
  readonly name: string;
  /** `npm:1.0.0`, `workspace:packages/app`, `patch:…`. */
  readonly source: string;
}

/** Reads the yarn.lock of Yarn 2 and later. */
export function parseYarnBerryLock(text: string, beside: SiblingFileReader): DependencyFile {
  const [document] = parseYamlDocuments(text);
  if (document === undefined) throw new DependencyFileSyntaxError("empty");
  const lines = document.lines();
  const entries = Object.entries(document.value)
    .filter(([key]) => key !== "__metadata")
    .map(([key, value]) => entryOf(key, asJsonObjectOrEmpty(value)));
  const keys = new Map(
    entries.flatMap(({ key }) => key.split(",").map((part) => [part.trim(), key] as const)),
  );
  const members = entries.filter(isWorkspace);
  const overridden = readAdjacentPackageJsonResolutions(
    beside,
    new Set(entries.map(({ name }) => name)),
  );
  const nodes = new Map(
    entries
      .filter((entry) => !isWorkspace(entry))
      .map((entry) => {
        const node = nodeOf(entry, keys, lines.get(entry.key));
        const missing = missingNeeds(entry, keys, overridden);
        return [entry.key, { ...node, missing }] as const;
      }),
  );
  const groupsOf = groupsByFolder(beside);
  const roots = members.flatMap((member) => rootsOf(member, keys, groupsOf(folderOf(member))));
  return {
    ...flattenDependencyGraph({ ecosystem: "npm", nodes, roots }),
    members: members.map(folderOf),
    requests: new Set(
      members.flatMap(({ record }) =>
        needsOf(record).map(([name, range]) => toDeclaredRequirementKey(name, range)),
      ),
    ),
  };
}

function entryOf(key: string, record: JsonObject): Entry {
  const resolution = asNonBlankString(record["resolution"]) ?? key;
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
): DependencyGraphNode {
  const fetched = fetchedSource(name, source);
  // Yarn fetches the version of the resolution, whatever the entry says of itself.
  const [, resolved] = /^npm:([^:]*)/.exec(fetched.source) ?? [];
  const version = resolved ?? asNonBlankString(record["version"]);
  const resolved1 = asNonBlankString(record["resolved"]);
  return {
    name,
    ...(version !== undefined && { version }),
    line,
    requires: needsOf(record).flatMap(([other, range]) => keyFor(other, range, keys) ?? []),
    ...markPatchedDownloadSource(fetched.isPatched, originOf(name, version, fetched.source)),
    // Yarn 1 reads this format too, and installs from there.
    ...(resolved1 !== undefined && toNpmArchiveDownloadSource(name, version, resolved1)),
  };
}

/** What an entry needs and no key stands for; `resolutions` may replace what is asked for. */
function missingNeeds(
  { record }: Entry,
  keys: ReadonlyMap<string, string>,
  overridden: ReadonlySet<string>,
): DependencyWithoutLockEntry[] {
  return needsOf(record).flatMap(([name, range]) =>
    keyFor(name, range, keys) !== undefined || overridden.has(name)
      ? []
      : [toNpmDependencyWithoutLockEntry(name, range)],
  );
}

function needsOf(record: JsonObject): [name: string, range: string][] {
  return ["dependencies", "optionalDependencies"].flatMap((member) =>
    Object.entries(asJsonObjectOrEmpty(record[member])).map(([name, range]): [string, string] => [
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
): DependencyGraphRoot[] {
  return needsOf(member.record).flatMap(([name, range]) => {
    const key = keyFor(name, range, keys);
    return key === undefined ? [] : [{ key, group: groups.get(name) ?? "production" }];
  });
}

/** What the package.json of a folder needs each package for; each file is read once. */
function groupsByFolder(
  beside: SiblingFileReader,
): (folder: string) => ReadonlyMap<string, string> {
  const known = new Map<string, ReadonlyMap<string, string>>();
  return (path) => {
    const folder = posix.join(path);
    const groups =
      known.get(folder) ??
      new Map(
        (readAdjacentPackageJsonEntries(beside, folder) ?? []).map(({ name, group }) => [
          name,
          group,
        ]),
      );
    known.set(folder, groups);
    return groups;
  };
}

function originOf(
  name: string,
  version: string | undefined,
  source: string,
): PackageDownloadOrigin {
  if (source.startsWith("npm:")) {
    if (semver.valid(version, { loose: true }) === null) {
      return { reason: "invalid_specifier: it is no exact version" };
    }
    return toNpmArchiveDownloadSource(name, version, archiveIn(source));
  }
  if (source.startsWith("patch:")) {
    return toNonRegistryDownloadSource(/^patch:.*@git/.test(source) ? "git" : "url", source);
  }
  if (/^(file|link|portal|exec):/.test(source)) return toNonRegistryDownloadSource("local", source);
  return /git|#commit=/.test(source)
    ? toGitDownloadSource(source)
    : toNonRegistryDownloadSource("url", source);
}

/** `npm:1.0.0::__archiveUrl=https%3A%2F%2F…`, where the registry has it at another place. */
function archiveIn(source: string): string | undefined {
  const start = source.indexOf("::");
  if (start === -1) return undefined;
  return new URLSearchParams(source.slice(start + 2)).get("__archiveUrl") ?? undefined;
}

/** The source that Yarn fetches a package from, and whether the project changes it. */
interface FetchedSource {
  readonly source: string;
  readonly isPatched: boolean;
}

/** A patch of a patch is rare. */
const maxPatches = 5;

/**
 * Returns the source inside of `patch:`. Patches that Yarn itself has for a package,
 * `optional!builtin<…>`, are no change by the project.
 */
function fetchedSource(name: string, source: string): FetchedSource {
  let fetched: FetchedSource = { source, isPatched: false };
  for (let count = 0; count < maxPatches; count += 1) {
    const [, inner = "", patches = ""] = /^patch:([^#]*)(?:#([^:]*))?/.exec(fetched.source) ?? [];
    const locator = unescaped(inner);
    if (!locator.startsWith(`${name}@`)) break;
    const isBuiltin = patches.split("&").every((patch) => builtinPatch.test(patch));
    fetched = {
      source: locator.slice(name.length + 1),
      isPatched: fetched.isPatched || !isBuiltin,
    };
  }
  return fetched;
}

const builtinPatch = /^[~!a-z]{0,20}builtin<[^<>]*>$/;

/** An escape that is none stays as it is. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
