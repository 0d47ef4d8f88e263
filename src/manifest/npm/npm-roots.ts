import { asRecord, asTexts } from "../../platform/json-value.ts";
import type { Beside } from "../dependency-file.ts";
import type { GraphRoot } from "../dependency-graph.ts";
import { jsonObject } from "../document/json-document.ts";
import { npmGroups, type NpmEntry } from "./npm-groups.ts";

/** What the package.json beside a lock file asks for; undefined: there is none that can be read. */
export function npmEntriesBeside(beside: Beside, folder = "."): NpmEntry[] | undefined {
  const text = beside(folder === "." ? "package.json" : `${folder}/package.json`);
  if (text === undefined) return undefined;
  try {
    return npmGroups(jsonObject(text));
  } catch {
    return undefined;
  }
}

/** The roots of a lock file that does not name them. */
export function npmRootsBeside(
  beside: Beside,
  keyOf: (name: string, specifier: string) => string,
  nodes: ReadonlyMap<string, unknown>,
): GraphRoot[] | undefined {
  return npmEntriesBeside(beside)?.flatMap(({ name, specifier, group }) => {
    const key = keyOf(name, specifier);
    return nodes.has(key) ? [{ key, group }] : [];
  });
}

/** Folders of the workspaces that the package.json beside a lock file names, as patterns. */
export function workspacesBeside(beside: Beside): string[] {
  const text = beside("package.json");
  try {
    const { workspaces } = jsonObject(text ?? "{}");
    return [...asTexts(workspaces), ...asTexts(asRecord(workspaces)["packages"])];
  } catch {
    return [];
  }
}
