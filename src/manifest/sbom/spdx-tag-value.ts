import { UnreadableText, type DependencyFile } from "../dependency-file.ts";
import { billFile, type BillComponent } from "./bill-file.ts";
import { spdxGraph, type SpdxRelationship } from "./spdx-graph.ts";

interface Package {
  readonly line: number;
  readonly name: string;
  id: string;
  version: string;
  packageUrl: string | undefined;
}

/** Reads an SPDX document of version 2 as tags and values, a line each. */
export function readSpdxTagValue(text: string): DependencyFile {
  if (!/^SPDXVersion:\s*SPDX-2/m.test(text)) {
    throw new UnreadableText("invalid_bill: it is no SPDX document of version 2", 1);
  }
  const { packages, relationships } = statementsIn(text);
  const graph = spdxGraph(relationships);
  const components = packages.map(({ id, name, version, packageUrl, line }): BillComponent => ({
    id,
    label: version === "" ? name : `${name}@${version}`,
    packageUrl,
    line,
    requires: graph.needs.get(id) ?? [],
  }));
  return billFile(components, graph.described);
}

function statementsIn(text: string): {
  readonly packages: readonly Package[];
  readonly relationships: readonly SpdxRelationship[];
} {
  const packages: Package[] = [];
  const relationships: SpdxRelationship[] = [];
  let current: Package | undefined;
  for (const [index, line] of withoutLongTexts(text).split(/\r?\n/).entries()) {
    const [, tag, value = ""] = /^(\w+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (tag === "PackageName") {
      current = { line: index + 1, name: value, id: "", version: "", packageUrl: undefined };
      packages.push(current);
    } else if (tag === "Relationship") {
      const [from = "", type = "", to = ""] = value.split(/\s+/);
      relationships.push({ from, type, to });
    } else if (tag === "FileName" || tag === "SnippetSPDXID") current = undefined;
    else if (current !== undefined && tag !== undefined) fill(current, tag, value);
  }
  return { packages, relationships };
}

function fill(current: Package, tag: string, value: string): void {
  if (tag === "SPDXID") current.id = value;
  if (tag === "PackageVersion") current.version = value;
  const [, url] = /^PACKAGE[-_]MANAGER purl (\S+)$/.exec(value) ?? [];
  if (tag === "ExternalRef" && url !== undefined) current.packageUrl = url;
}

/** A text of several lines may look like tags; the lines stay where they are. */
function withoutLongTexts(text: string): string {
  return text.replaceAll(/<text>[\s\S]*?<\/text>/g, (long) =>
    "\n".repeat(long.split("\n").length - 1),
  );
}
