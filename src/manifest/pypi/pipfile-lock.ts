import {
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  isJsonObject,
} from "../../platform/json-value.ts";
import { flattenDependencyGraph, type DependencyGraphNode } from "../dependency-graph.ts";
import {
  DependencyFileSyntaxError,
  type SiblingFileReader,
  type DependencyFile,
} from "../dependency-file.ts";
import { parseJsonObject } from "../document/json-document.ts";
import { createJsonMemberLineLookup } from "../document/member-lines.ts";
import {
  pipfileCategoryToGroup,
  createPipenvDownloadSourceLookup,
  readPipfileEntries,
  type PipenvDownloadSourceLookup,
} from "./pipfile.ts";
import { indexLockEntriesByReference } from "../position-keys.ts";
import { normalizePypiProjectName } from "./project-name.ts";
import { readAdjacentPythonManifest } from "./python-roots.ts";
import { parseRequirementTableMember, readPythonTableDownloadSource } from "./python-entries.ts";

/** Reads a Pipfile.lock. It does not say who needs whom; the Pipfile beside it says what is direct. */
export function parsePipfileLock(text: string, beside: SiblingFileReader): DependencyFile {
  const lock = parseJsonObject(text);
  const lines = createJsonMemberLineLookup(text);
  const nodes = new Map<string, DependencyGraphNode>();
  const categories = Object.entries(lock).filter(([name]) => name !== "_meta");
  if (!categories.every(([, packages]) => isJsonObject(packages))) {
    throw new DependencyFileSyntaxError("invalid_lock: a category has no packages", 1);
  }
  const originOf = createPipenvDownloadSourceLookup(
    asJsonObjectElements(asJsonObjectOrEmpty(lock["_meta"])["sources"]),
  );
  const groups = [...new Set(categories.map(([category]) => pipfileCategoryToGroup(category)))];
  const numbers = new Map(groups.map((group, at) => [group, at]));
  const found: string[][] = [];
  for (const [category, packages] of categories) {
    const group = pipfileCategoryToGroup(category);
    for (const [name, entry] of Object.entries(asJsonObjectOrEmpty(packages))) {
      const node = nodeOf(name, asJsonObjectOrEmpty(entry), lines(category, name), originOf);
      nodes.set(found.length.toString(), { ...node, groups: [group] });
      found.push([referenceOf(name, numbers.get(group))]);
    }
  }
  const roots = readAdjacentPythonManifest(beside, "Pipfile", readPipfileEntries)?.map(
    ({ key, group }) => ({
      key: referenceOf(key, numbers.get(group)),
      group,
    }),
  );
  const references = indexLockEntriesByReference(found);
  return flattenDependencyGraph({ ecosystem: "pypi", nodes, references, roots });
}

/** Two groups may lock two versions of a package; by number, as each package would repeat a name. */
function referenceOf(name: string, group: number | undefined): string {
  return `${group?.toString() ?? "-"} ${normalizePypiProjectName(name)}`;
}

function nodeOf(
  name: string,
  entry: Readonly<Record<string, unknown>>,
  line: number | undefined,
  originOf: PipenvDownloadSourceLookup,
): DependencyGraphNode {
  const version = asNonBlankString(entry["version"])?.replace(/^===?/, "");
  const read = parseRequirementTableMember(name, entry, "");
  const origin = originOf(asNonBlankString(entry["index"]));
  return {
    ...origin,
    name,
    ...(version !== undefined && { version }),
    line,
    requires: [],
    reason: "reason" in read ? read.reason : origin.reason,
    address: readPythonTableDownloadSource(entry).address ?? origin.address,
  };
}
