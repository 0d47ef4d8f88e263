import { DependencyFileSyntaxError, type DependencyFile } from "../dependency-file.ts";
import { toUnparsedLongLine } from "../document/long-lines.ts";
import type { UnparsableManifestText } from "../manifest.ts";
import { sbomToDependencyFile, type SbomComponent } from "./sbom-file.ts";
import { buildSpdxGraph, type SpdxRelationship } from "./spdx-graph.ts";

interface Package {
  readonly line: number;
  readonly name: string;
  id: string;
  version: string;
  readonly packageUrls: string[];
}

/** Reads an SPDX document of version 2 as tags and values, a line each. */
export function parseSpdxTagValue(text: string): DependencyFile {
  if (!/(?:^|\n)SPDXVersion:\s*SPDX-2/.test(text)) {
    throw new DependencyFileSyntaxError("invalid_bill: it is no SPDX document of version 2", 1);
  }
  const { packages, relationships, unparsed } = statementsIn(text);
  const graph = buildSpdxGraph(relationships);
  const components = packages.map(({ id, name, version, packageUrls, line }): SbomComponent => ({
    id,
    label: version === "" ? name : `${name}@${version}`,
    version: version === "" ? undefined : version,
    packageUrls,
    line,
    requires: graph.needs.get(id) ?? [],
  }));
  const file = sbomToDependencyFile(components, graph.described);
  return { ...file, unparsed: [...unparsed, ...file.unparsed] };
}

function statementsIn(text: string): {
  readonly packages: readonly Package[];
  readonly relationships: readonly SpdxRelationship[];
  readonly unparsed: readonly UnparsableManifestText[];
} {
  const packages: Package[] = [];
  const relationships: SpdxRelationship[] = [];
  const unparsed: UnparsableManifestText[] = [];
  let current: Package | undefined;
  // A text of several lines may look like tags.
  const lines = withoutTexts(text).split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const long = toUnparsedLongLine(line, index + 1);
    if (long !== undefined) {
      unparsed.push(long);
      // The tags below would be taken for those of the package above.
      if (line.startsWith("PackageName:")) current = undefined;
      continue;
    }
    const [tag, value] = statementOf(line);
    if (tag === "PackageName") {
      current = { line: index + 1, name: value, id: "", version: "", packageUrls: [] };
      packages.push(current);
    } else if (tag === "Relationship") {
      const [from = "", type = "", to = ""] = value.split(/\s+/);
      relationships.push({ from, type, to });
    } else if (tag === "FileName" || tag === "SnippetSPDXID") current = undefined;
    else if (current !== undefined && tag !== undefined) fill(current, tag, value);
  }
  return { packages, relationships, unparsed };
}

/** Replaces each value that begins with `<text>` by its line ends. One without an end stays. */
function withoutTexts(text: string): string {
  const parts: string[] = [];
  const open = /^\w{1,100}:[ \t]{0,100}<text>/gm;
  let from = 0;
  for (let start = open.exec(text); start !== null; start = open.exec(text)) {
    const value = open.lastIndex - "<text>".length;
    const end = text.indexOf("</text>", value);
    if (end === -1) break;
    const lines = text.slice(value, end).split("\n").length;
    parts.push(text.slice(from, value), "\n".repeat(lines - 1));
    from = end + "</text>".length;
    open.lastIndex = from;
  }
  return parts.join("") + text.slice(from);
}

/** Tag and value of `Tag: value`. */
function statementOf(line: string): readonly [tag: string | undefined, value: string] {
  const colon = line.indexOf(":");
  const tag = line.slice(0, Math.max(colon, 0));
  return [/^\w+$/.test(tag) ? tag : undefined, line.slice(colon + 1).trim()];
}

function fill(current: Package, tag: string, value: string): void {
  if (tag === "SPDXID") current.id = value;
  if (tag === "PackageVersion") current.version = value;
  const [, url] = /^PACKAGE[-_]MANAGER purl (\S+)$/.exec(value) ?? [];
  if (tag === "ExternalRef" && url !== undefined) current.packageUrls.push(url);
}
