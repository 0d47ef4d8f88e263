import { dependenciesIn, type GraphRoot, type PackageNode } from "../dependency-graph.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { readPackageUrl } from "./package-url.ts";

/** A component of a bill of materials. */
export interface BillComponent {
  /** What the document calls it elsewhere. */
  readonly id: string;
  readonly label: string;
  /** Undefined: it names none. */
  readonly packageUrl: string | undefined;
  readonly line: number | undefined;
  readonly requires: readonly string[];
}

/**
 * The packages of a bill of materials; `described` is what it is about, which is
 * no dependency of itself. A component that is no package of a registry is unparsed.
 */
export function billFile(
  components: readonly BillComponent[],
  described: readonly string[],
): DependencyFile {
  const own = new Set(described);
  const nodes = new Map(
    components.filter(({ id }) => !own.has(id)).map((each) => [each.id, nodeOf(each)] as const),
  );
  // By id: components of one id share what they need.
  const needs = new Map(components.map(({ id, requires }) => [id, requires]));
  const needed = [...needs].flatMap(([id, requires]) => (own.has(id) ? requires : []));
  const roots: GraphRoot[] = needed.map((key) => ({ key, group: "production" }));
  // Where nothing is said of the whole, who needs whom is all that there is.
  return dependenciesIn({ ecosystem: "npm", nodes, roots: roots.length > 0 ? roots : undefined });
}

function nodeOf({ label, packageUrl, line, requires }: BillComponent): PackageNode {
  if (packageUrl === undefined) return { name: label, line, requires, reason: "no_package_url" };
  const read = readPackageUrl(packageUrl);
  return "reason" in read
    ? { name: packageUrl, line, requires, reason: read.reason }
    : { ...read, line, requires };
}
