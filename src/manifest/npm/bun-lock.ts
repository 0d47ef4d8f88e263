import { asList, asRecord, asText, type JsonObject } from "../../platform/json-value.ts";
import { dependenciesIn, type GraphRoot, type PackageNode } from "../dependency-graph.ts";
import { UnreadableText, type DependencyFile } from "../dependency-file.ts";
import { yamlDocuments } from "../document/yaml-document.ts";
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
  for (const [key, parts] of packages) {
    const node = nodeOf(key, parts, packages, lines.get(key));
    if (node !== undefined) nodes.set(key, node);
  }
  const workspaces = Object.entries(asRecord(document.value["workspaces"]));
  const roots = workspaces.flatMap(([, entry]) => rootsOf(asRecord(entry), packages));
  return {
    ...dependenciesIn({ ecosystem: "npm", nodes, roots }),
    members: workspaces.map(([folder]) => folder),
  };
}

/** Undefined: a package of the project itself. */
function nodeOf(
  key: string,
  parts: readonly unknown[],
  packages: ReadonlyMap<string, readonly unknown[]>,
  line: number | undefined,
): PackageNode | undefined {
  const [, name = key, source = ""] = /^(@?[^@]+)@(.*)$/s.exec(asText(parts[0]) ?? "") ?? [];
  if (/^(workspace|root):/.test(source)) return undefined;
  const needed = parts.map(asRecord).flatMap((part) => npmGroups(part));
  return {
    name,
    ...(source !== "" && { version: source }),
    line,
    requires: needed.flatMap(({ name: other }) => placeOf(other, key, packages) ?? []),
    reason: reasonOf(source),
  };
}

function reasonOf(source: string): string | undefined {
  if (/^(git\+|git@|git:|github:|gitlab:|bitbucket:|ssh:)/.test(source)) return "git";
  if (/^(file|link):|^\.{0,2}\//.test(source)) return "local";
  return /^https?:/.test(source) ? "url" : undefined;
}

function rootsOf(
  workspace: JsonObject,
  packages: ReadonlyMap<string, readonly unknown[]>,
): GraphRoot[] {
  const own = asText(workspace["name"]) ?? "";
  return npmGroups(workspace).flatMap(({ name, group }) => {
    const key = placeOf(name, own, packages);
    return key === undefined ? [] : [{ key, group }];
  });
}

/** The nearest package of a name: of `a/b` the one below it, then below `a`, then the shared one. */
function placeOf(
  name: string,
  key: string,
  packages: ReadonlyMap<string, readonly unknown[]>,
): string | undefined {
  const way = key.match(/@[^/]+\/[^/]+|[^/]+/g) ?? [];
  for (let length = way.length; length >= 0; length -= 1) {
    const candidate = [...way.slice(0, length), name].join("/");
    if (packages.has(candidate)) return candidate;
  }
  return undefined;
}
