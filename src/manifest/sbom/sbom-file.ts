import type { PackageEcosystem } from "../../platform/ecosystem.ts";
import { asArrayOrEmpty, isJsonObject, type JsonObject } from "../../platform/json-value.ts";
import {
  flattenDependencyGraph,
  type DependencyGraphRoot,
  type DependencyGraphNode,
} from "../dependency-graph.ts";
import { DependencyFileSyntaxError, type DependencyFile } from "../dependency-file.ts";
import { isManifestRangeParsedAsWritten } from "../range-in-manifest.ts";
import { parsePackageUrl } from "./package-url.ts";

/** A component of a bill of materials. */
export interface SbomComponent {
  /** What the document calls it elsewhere. */
  readonly id: string;
  readonly label: string;
  /** Version member of the component itself, whatever its package URL says. */
  readonly version: string | undefined;
  /** Empty: it names none. */
  readonly packageUrls: readonly string[];
  readonly line: number | undefined;
  readonly requires: readonly string[];
}

/** Returns the objects of a list, which may be left out. Throws `DependencyFileSyntaxError` for anything else. */
export function readSbomObjectList(value: unknown): readonly JsonObject[] {
  const list = value === undefined || value === null ? [] : value;
  const records = asArrayOrEmpty(list).filter(isJsonObject);
  if (!Array.isArray(list) || records.length < list.length) {
    throw new DependencyFileSyntaxError(
      "invalid_bill: a list of it has something else than objects",
    );
  }
  return records;
}

/**
 * The packages of a bill of materials; `described` are the ids of what it is about, which is
 * no dependency of itself. A component that is no package of a registry is unparsed.
 */
export function sbomToDependencyFile(
  components: readonly SbomComponent[],
  described: readonly string[],
): DependencyFile {
  const own = wholes(components, new Set(described));
  const nodes = new Map<string, DependencyGraphNode>();
  // Several components may have one id, and a component several package URLs: the first has the needs.
  const references = new Map<string, string[]>();
  for (const component of components) {
    if (own.has(component)) continue;
    for (const node of nodesOf(component)) {
      const key = `${nodes.size.toString()} of the bill`;
      const keys = references.get(component.id);
      nodes.set(key, keys === undefined ? node : { ...node, requires: [] });
      if (keys === undefined) references.set(component.id, [key]);
      else keys.push(key);
    }
  }
  // By id: components of one id share what they need.
  const needs = new Map([...own].map(({ id, requires }) => [id, requires]));
  const roots: DependencyGraphRoot[] = [...needs.values()]
    .flat()
    .map((key) => ({ key, group: "production" }));
  // Where nothing is said of the whole, who needs whom is all that there is.
  return flattenDependencyGraph({
    ecosystem: "npm",
    nodes,
    references,
    roots: roots.length > 0 ? roots : undefined,
  });
}

/**
 * The components that the document is about, one of each id. Some tools count every package
 * among them: of several those without needs are packages as well.
 */
function wholes(
  components: readonly SbomComponent[],
  described: ReadonlySet<string>,
): ReadonlySet<SbomComponent> {
  const first = new Map<string, SbomComponent>();
  for (const each of components) {
    if (described.has(each.id) && !first.has(each.id)) first.set(each.id, each);
  }
  const all = [...first.values()];
  return new Set(all.length > 1 ? all.filter(({ requires }) => requires.length > 0) : all);
}

function nodesOf({
  label,
  version,
  packageUrls,
  line,
  requires,
}: SbomComponent): DependencyGraphNode[] {
  if (packageUrls.length === 0) return [{ name: label, line, requires, reason: "no_package_url" }];
  return packageUrls.map((url) => {
    const read = parsePackageUrl(url);
    return read.reason === undefined && "ecosystem" in read
      ? { ...componentRequest(read, version), line, requires }
      : { name: url, line, requires, reason: read.reason };
  });
}

interface ComponentPackage {
  readonly ecosystem: PackageEcosystem;
  readonly name: string;
  readonly version?: string;
}

/** Returns the package of a component, of which its package URL may have a range as its version. */
function componentRequest(
  { version, ...read }: ComponentPackage,
  own: string | undefined,
): ComponentPackage & Partial<DependencyGraphNode> {
  if (version !== undefined && rangePattern.test(version)) {
    return { ...read, ...addComponentVersion(read, own ?? version) };
  }
  const exact = { ...read, ...(version !== undefined && { version }) };
  return { ...exact, ...addComponentVersion(exact, own) };
}

/**
 * Returns what a component's own version adds to its package URL: the version if it lacks one.
 * If the two differ, the version of the package URL is assessed, and the difference is reported.
 */
function addComponentVersion(
  { ecosystem, name, version }: ComponentPackage,
  own: string | undefined,
): Partial<DependencyGraphNode> {
  // Words of SPDX for an unknown version.
  if (own === undefined || /^(?:NOASSERTION|NONE)$/.test(own)) return {};
  if (version !== undefined) {
    if (comparable(version) === comparable(own)) return {};
    const reason = "version_differs: the component itself has another version";
    return { reason, isAsked: true };
  }
  if (/\p{Cc}/u.test(own)) return { reason: "invalid_specifier: it holds a control character" };
  const isRange = rangePattern.test(own);
  // Some tools make bills of manifests, with their ranges.
  const isResolved = ecosystem === "npm" || (ecosystem === "pypi" && isRange);
  if (isResolved && !isManifestRangeParsedAsWritten({ ecosystem, name, requested: own })) {
    return { reason: "invalid_specifier: the package has no such version or range" };
  }
  if (!isRange) return { version: own };
  return { requested: own, ...(isResolved && { constraint: "range" }) };
}

const rangePattern = /^[!~]|[\s^*<>=|,()[\]]/;

/** Tools disagree on case, on a `v` and on build metadata. */
function comparable(version: string): string {
  return version
    .trim()
    .toLowerCase()
    .replace(/^v(?=\d)/, "")
    .split("+", 1)
    .join();
}
