import { asRecord, asRecords, asText, isRecord } from "../../platform/json-value.ts";
import { listDependencies, type PackageNode } from "../dependency-graph.ts";
import { UnreadableTextError, type ReadSibling, type DependencyFile } from "../dependency-file.ts";
import { parseJsonObject } from "../document/json-document.ts";
import { findMemberLines } from "../document/member-lines.ts";
import { categoryGroup, pipenvOrigins, pipfileEntries, type PipenvOrigin } from "./pipfile.ts";
import { keysByReference } from "../position-keys.ts";
import { normalizeProjectName } from "./project-name.ts";
import { pythonRoots } from "./python-roots.ts";
import { readTableEntry, sourceOfMember } from "./python-entries.ts";

/** Reads a Pipfile.lock. It does not say who needs whom; the Pipfile beside it says what is direct. */
export function readPipfileLock(text: string, beside: ReadSibling): DependencyFile {
  const lock = parseJsonObject(text);
  const lines = findMemberLines(text);
  const nodes = new Map<string, PackageNode>();
  const categories = Object.entries(lock).filter(([name]) => name !== "_meta");
  if (!categories.every(([, packages]) => isRecord(packages))) {
    throw new UnreadableTextError("invalid_lock: a category has no packages", 1);
  }
  const originOf = pipenvOrigins(asRecords(asRecord(lock["_meta"])["sources"]));
  const groups = [...new Set(categories.map(([category]) => categoryGroup(category)))];
  const numbers = new Map(groups.map((group, at) => [group, at]));
  const found: string[][] = [];
  for (const [category, packages] of categories) {
    const group = categoryGroup(category);
    for (const [name, entry] of Object.entries(asRecord(packages))) {
      const node = nodeOf(name, asRecord(entry), lines(category, name), originOf);
      nodes.set(found.length.toString(), { ...node, groups: [group] });
      found.push([referenceOf(name, numbers.get(group))]);
    }
  }
  const roots = pythonRoots(beside, "Pipfile", pipfileEntries)?.map(({ key, group }) => ({
    key: referenceOf(key, numbers.get(group)),
    group,
  }));
  const references = keysByReference(found);
  return listDependencies({ ecosystem: "pypi", nodes, references, roots });
}

/** Two groups may lock two versions of a package; by number, as each package would repeat a name. */
function referenceOf(name: string, group: number | undefined): string {
  return `${group?.toString() ?? "-"} ${normalizeProjectName(name)}`;
}

function nodeOf(
  name: string,
  entry: Readonly<Record<string, unknown>>,
  line: number | undefined,
  originOf: PipenvOrigin,
): PackageNode {
  const version = asText(entry["version"])?.replace(/^===?/, "");
  const read = readTableEntry(name, entry, "");
  const origin = originOf(asText(entry["index"]));
  return {
    ...origin,
    name,
    ...(version !== undefined && { version }),
    line,
    requires: [],
    reason: "reason" in read ? read.reason : origin.reason,
    address: sourceOfMember(entry).address ?? origin.address,
  };
}
