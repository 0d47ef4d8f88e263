/** One statement of an SPDX document: `from` has a relation to `to`. */
export interface SpdxRelationship {
  readonly from: string;
  readonly type: string;
  readonly to: string;
}

/** Who needs whom, and what the document is about. */
export interface SpdxGraph {
  readonly needs: ReadonlyMap<string, readonly string[]>;
  readonly described: readonly string[];
}

/** Sorts the relations. That something contains a package does not say that it needs it. */
export function buildSpdxGraph(relationships: readonly SpdxRelationship[]): SpdxGraph {
  const needs = new Map<string, string[]>();
  const described: string[] = [];
  const add = (from: string, to: string) => {
    const known = needs.get(from);
    if (known === undefined) needs.set(from, [to]);
    else known.push(to);
  };
  for (const { from, type, to } of relationships) {
    if (type === "DEPENDS_ON") add(from, to);
    else if (/^(\w+_)?DEPENDENCY_OF$/.test(type)) add(to, from);
    else if (type === "DESCRIBES") described.push(to);
    else if (type === "DESCRIBED_BY") described.push(from);
  }
  return { needs, described };
}
