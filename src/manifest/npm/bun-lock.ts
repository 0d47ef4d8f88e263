import { asList, asRecord, asText, asTexts, type JsonObject } from "../../platform/json-value.ts";
import {
  listDependencies,
  type GraphRoot,
  type MissingNeed,
  type PackageNode,
} from "../dependency-graph.ts";
import { requestKey, UnreadableTextError, type DependencyFile } from "../dependency-file.ts";
import { npmArchiveOrigin, patchedIf, registryOrigin, type Origin } from "../origin.ts";
import { parseYamlDocuments } from "../document/yaml-document.ts";
import { createFolder, folderAt, visitReaders } from "./folders.ts";
import { assertPackages, lockedPackage } from "./locked-package.ts";
import { missingNeed } from "./missing-need.ts";
import { readNpmGroups } from "./npm-groups.ts";

/**
 * Reads a bun.lock: JSON with commas behind the last members, which YAML allows
 * as well. A key is the way to a package that is not shared, `a/b`.
 */
export function readBunLock(text: string): DependencyFile {
  // YAML does not indent by tabs.
  const [document] = parseYamlDocuments(
    text.replaceAll(/(?:^|\n)\t+/g, (tabs) => tabs.replaceAll("\t", "  ")),
  );
  if (document === undefined) throw new UnreadableTextError("empty");
  assertPackages(document.value["packages"]);
  const packages = new Map(
    Object.entries(asRecord(document.value["packages"])).map(([key, value]) => [
      key,
      asList(value),
    ]),
  );
  const lines = document.lines("packages");
  const nodes = new Map<string, PackageNode>();
  const workspaces = Object.entries(asRecord(document.value["workspaces"]));
  const needs = needsIn(packages, workspaces);
  const patched = new Set(Object.keys(asRecord(document.value["patchedDependencies"])));
  for (const [key, parts] of packages) {
    const node = nodeOf({ key, parts, patched }, needs.ofPackages.get(key) ?? [], lines.get(key));
    const missing = needs.missing.get(key) ?? [];
    if (node === undefined) continue;
    nodes.set(key, { ...node, missing });
  }
  const roots = workspaces.flatMap(([folder]) => needs.ofWorkspaces.get(folder) ?? []);
  return {
    ...listDependencies({ ecosystem: "npm", nodes, roots }),
    members: workspaces.map(([folder]) => folder),
    requests: new Set(
      workspaces
        .flatMap(([, entry]) => readNpmGroups(asRecord(entry)))
        .map(({ name, specifier }) => requestKey(name, specifier)),
    ),
  };
}

/** A package as the file has it, and `name@version` of those that the project patches. */
interface Entry {
  readonly key: string;
  readonly parts: readonly unknown[];
  readonly patched: ReadonlySet<string>;
}

/** Undefined: a package of the project itself. */
function nodeOf(
  { key, parts, patched }: Entry,
  needs: readonly GraphRoot[],
  line: number | undefined,
): PackageNode | undefined {
  const [, name = key, source = ""] = /^(@?[^@]+)@(.*)$/s.exec(asText(parts[0]) ?? "") ?? [];
  if (/^(workspace|root):/.test(source)) return undefined;
  return {
    name,
    ...(source !== "" && { version: source }),
    line,
    requires: needs.map(({ key: needed }) => needed),
    // The source, and the address in it, are the version.
    ...patchedIf(patched.has(`${name}@${source}`), originOf(name, source, asText(parts[1]))),
  };
}

/** Behind a version is the address of its archive, or of the registry, where that is another one. */
function originOf(name: string, source: string, address: string | undefined): Origin {
  if (/^(git\+|git@|git:|github:|gitlab:|bitbucket:|ssh:)/.test(source)) return { reason: "git" };
  if (/^(file|link):|^\.{0,2}\//.test(source)) return { reason: "local" };
  const locked = lockedPackage(name, source);
  if (locked.reason !== undefined) return { reason: locked.reason };
  const isArchive = address === undefined || address.includes("/-/") || /\.tgz\b/.test(address);
  return isArchive ? npmArchiveOrigin(name, source, address) : registryOrigin("npm", address);
}

/** What packages need, by their keys, and what the project's own need, by their folders. */
interface Needs {
  readonly ofPackages: Map<string, readonly GraphRoot[]>;
  readonly ofWorkspaces: Map<string, readonly GraphRoot[]>;
  /** What packages need and the file does not have, by their keys. */
  readonly missing: Map<string, readonly MissingNeed[]>;
}

/** A package or a part of the project that needs others. */
interface Reader {
  readonly key: string;
  readonly manifests: readonly JsonObject[];
  readonly into: Map<string, readonly GraphRoot[]>;
}

function needsIn(
  packages: ReadonlyMap<string, readonly unknown[]>,
  workspaces: readonly (readonly [folder: string, entry: unknown])[],
): Needs {
  const root = createFolder<Reader>();
  const needs: Needs = { ofPackages: new Map(), ofWorkspaces: new Map(), missing: new Map() };
  for (const [key, parts] of packages) {
    const way = wayOf(key);
    const reader = { key, manifests: parts.map(asRecord), into: needs.ofPackages };
    folderAt(root, way).readers.push(reader);
    folderAt(root, way.slice(0, -1)).installed.set(way.at(-1) ?? "", key);
  }
  for (const [key, value] of workspaces) {
    const entry = asRecord(value);
    const reader = { key, manifests: [entry], into: needs.ofWorkspaces };
    folderAt(root, wayOf(asText(entry["name"]) ?? "")).readers.push(reader);
  }
  visitReaders(root, ({ key, manifests, into }, find) => {
    const found = manifests
      .flatMap((manifest) => readNpmGroups(manifest))
      .map((entry) => ({ ...entry, key: find(entry.name) }));
    into.set(
      key,
      found.flatMap(({ key: needed, group }) =>
        needed === undefined ? [] : [{ key: needed, group }],
      ),
    );
    if (into !== needs.ofPackages) return;
    const optional = new Set(manifests.flatMap(({ optionalPeers }) => asTexts(optionalPeers)));
    const missing = found.filter(
      ({ key: needed, name, group }) =>
        needed === undefined && !(group === "peer" && optional.has(name)),
    );
    needs.missing.set(
      key,
      missing.map(({ name, specifier }) => missingNeed(name, specifier)),
    );
  });
  return needs;
}

/** The packages of `@a/b/c`: `@a/b`, and `c` below it. */
function wayOf(key: string): readonly string[] {
  return key.match(/@[^/]+\/[^/]+|[^/]+/g) ?? [];
}
