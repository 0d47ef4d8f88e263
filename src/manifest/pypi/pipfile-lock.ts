import { asRecord, asText } from "../../platform/json-value.ts";
import { dependenciesIn, type PackageNode } from "../dependency-graph.ts";
import type { Beside, DependencyFile } from "../dependency-file.ts";
import { jsonObject } from "../document/json-document.ts";
import { memberLines } from "../document/member-lines.ts";
import { categoryGroup, pipfileEntries } from "./pipfile.ts";
import { projectName } from "./project-name.ts";
import { pythonRoots } from "./python-roots.ts";
import { readTableEntry } from "./python-entries.ts";

/** Reads a Pipfile.lock. It does not say who needs whom; the Pipfile beside it says what is direct. */
export function readPipfileLock(text: string, beside: Beside): DependencyFile {
  const lock = jsonObject(text);
  const lines = memberLines(text);
  const nodes = new Map<string, PackageNode>();
  const categories = Object.entries(lock).filter(([name]) => name !== "_meta");
  const numbers = new Map<string, number>();
  for (const [category, packages] of categories) {
    const group = categoryGroup(category);
    const number = numbers.get(group) ?? numbers.size;
    numbers.set(group, number);
    for (const [name, entry] of Object.entries(asRecord(packages))) {
      const node = nodeOf(name, asRecord(entry), lines(category, name));
      nodes.set(keyOf(name, number), { ...node, groups: [group] });
    }
  }
  const roots = pythonRoots(beside, "Pipfile", pipfileEntries)?.map(({ key, group }) => ({
    key: keyOf(key, numbers.get(group)),
    group,
  }));
  return dependenciesIn({ ecosystem: "pypi", nodes, roots });
}

/** Two categories may lock two versions of a package; by number, as each package would repeat a name. */
function keyOf(name: string, category: number | undefined): string {
  return `${category?.toString() ?? "-"} ${projectName(name)}`;
}

function nodeOf(
  name: string,
  entry: Readonly<Record<string, unknown>>,
  line: number | undefined,
): PackageNode {
  const version = asText(entry["version"])?.replace(/^===?/, "");
  const read = readTableEntry(name, entry, "");
  return {
    name,
    ...(version !== undefined && { version }),
    line,
    requires: [],
    reason: "reason" in read ? read.reason : undefined,
  };
}
