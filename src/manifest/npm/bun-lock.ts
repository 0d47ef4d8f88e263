import { asList, asRecord, asText, type JsonObject } from "../../platform/json-value.ts";
import { dependenciesIn, type GraphRoot, type PackageNode } from "../dependency-graph.ts";
import { UnreadableText, type DependencyFile } from "../dependency-file.ts";
import { yamlDocuments } from "../document/yaml-document.ts";
import { createFolder, folderAt, visitReaders } from "./folders.ts";
import { npmGroups } from "./npm-groups.ts";

/**
 * Reads a bun.lock: JSON with commas behind the last members, which YAML allows
 * as well. A key is the way to a package that is not shared, `a/b`.
 */
export function readBunLock(text: string): DependencyFile {
  // YAML does not indent by tabs.
  const [document] = yamlDocuments(text.replaceAll(/^\t+/gm, (tabs) => "  ".repeat(tabs.length)));
  if (document === undefined) throw new UnreadableText("empty");
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
  for (const [key, parts] of packages) {
    const node = nodeOf(key, parts, needs.ofPackages.get(key) ?? [], lines.get(key));
    if (node !== undefined) nodes.set(key, node);
  }
  const roots = workspaces.flatMap(([folder]) => needs.ofWorkspaces.get(folder) ?? []);
  return {
    ...dependenciesIn({ ecosystem: "npm", nodes, roots }),
    members: workspaces.map(([folder]) => folder),
  };
}

/** Undefined: a package of the project itself. */
function nodeOf(
  key: string,
  parts: readonly unknown[],
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
    reason: reasonOf(source),
  };
}

function reasonOf(source: string): string | undefined {
  if (/^(git\+|git@|git:|github:|gitlab:|bitbucket:|ssh:)/.test(source)) return "git";
  if (/^(file|link):|^\.{0,2}\//.test(source)) return "local";
  return /^https?:/.test(source) ? "url" : undefined;
}

/** What packages need, by their keys, and what the project's own need, by their folders. */
interface Needs {
  readonly ofPackages: Map<string, readonly GraphRoot[]>;
  readonly ofWorkspaces: Map<string, readonly GraphRoot[]>;
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
  const needs: Needs = { ofPackages: new Map(), ofWorkspaces: new Map() };
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
      .flatMap((manifest) => npmGroups(manifest))
      .map(({ name, group }) => ({
        key: find(name),
        group,
      }));
    into.set(
      key,
      found.flatMap(({ key: needed, group }) =>
        needed === undefined ? [] : [{ key: needed, group }],
      ),
    );
  });
  return needs;
}

/** The packages of `@a/b/c`: `@a/b`, and `c` below it. */
function wayOf(key: string): readonly string[] {
  return key.match(/@[^/]+\/[^/]+|[^/]+/g) ?? [];
}
