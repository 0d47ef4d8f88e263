import type { JsonObject } from "../../platform/json-value.ts";
import { declaredEntriesToDependencyFile, type DeclaredDependencyEntry } from "../declared-file.ts";
import type { SiblingFileReader, DependencyFile, ManifestParseBudget } from "../dependency-file.ts";
import {
  findXmlChildElements,
  readXmlElementOrAttributeText,
  parseXml,
  type XmlDocument,
} from "../document/xml-document.ts";
import {
  mergePackageDownloadSources,
  toRegistryDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";
import { readMavenConfigPropertyNames } from "./maven-options.ts";
import {
  createPomHierarchyResolver,
  type PomCoordinateResolver,
  type PomHierarchyResolver,
} from "./pom-context.ts";
import {
  findPomListElements,
  findManagedDependencyElements,
  findPomPackageElements,
  defaultMavenPluginGroup,
  type PomPackageElement,
} from "./pom-elements.ts";

/** Line of an element, where it is in the file that is read. */
type LineOf = XmlDocument["lineOf"];

/**
 * Reads a pom.xml: its dependencies, those of profiles and plugins, what it imports and manages,
 * the plugins and extensions that run in its build, and a parent that is not in the project.
 * Versions come from properties and `dependencyManagement`, also of parents that stand in the same
 * project, and once more with the values of each profile. What it inherits is read where its own
 * values give it another version.
 */
export function parsePom(
  text: string,
  beside: SiblingFileReader,
  budget?: ManifestParseBudget,
): DependencyFile {
  const { root, lineOf } = parseXml(text, "project");
  const skipped: DeclaredDependencyEntry[] = [];
  const onSkip = (part: { text: string; reason: string }) =>
    skipped.push({ group: "production", ...part });
  const context = createPomHierarchyResolver(root, beside, onSkip, budget);
  const own: DeclaredDependencyEntry[] = [
    ...ownEntries(root, context, lineOf),
    ...context.absentParents.map((element) => ({
      ...entryOf(element, context, lineOf),
      group: "parent",
    })),
    ...skipped,
  ];
  const asked = own.filter(({ group }) => group !== "constraint");
  const known = new Set(asked.map(keyOf));
  const constraints = own.filter(({ group }) => group === "constraint");
  const entries = [...asked, ...withoutKnown(constraints, known)];
  for (const others of otherEntries(root, context, lineOf)) {
    const added = withoutKnown(others, known);
    const room = budget?.takeRows(added.length) ?? added.length;
    for (const entry of added.slice(0, room)) entries.push(entry);
    if (room === added.length) continue;
    const reason = "too_many: the audit has no room for the versions that profiles and parents set";
    entries.push({ group: "production", text: "profiles", reason });
    break;
  }
  const { hosts = [], reason } = repositoriesOrigin(scopesOf(root));
  const local: DeclaredDependencyEntry[] =
    reason === undefined ? [] : [{ group: "production", text: "repositories", reason }];
  // Those that have it as their parent take packages from its repositories.
  const idle = entries.length > 0 ? [] : hosts;
  const file = declaredEntriesToDependencyFile("maven", [
    ...entries.map((entry) => ({ ...entry, hosts })),
    ...local,
    ...idle.map((host) => ({
      group: "production",
      text: host,
      reason: "registry: its packages may come from this host",
    })),
    ...definedEntries(context, beside),
  ]);
  const modules = scopesOf(root).flatMap((scope) =>
    findPomListElements(scope, "modules", "module"),
  );
  return {
    ...file,
    members: modules.flatMap((each) => readXmlElementOrAttributeText(each, "#text") ?? []),
  };
}

/** A pom and its profiles. */
function scopesOf(pom: JsonObject): readonly JsonObject[] {
  return [pom, ...findPomListElements(pom, "profiles", "profile")];
}

/** Reads a pom, and each of its profiles with the values of that profile. */
function ownEntries(
  pom: JsonObject,
  context: PomCoordinateResolver,
  lineOf: LineOf,
): DeclaredDependencyEntry[] {
  return scopesOf(pom).flatMap((scope) => {
    const within = scope === pom ? context : context.within(scope);
    return scopeEntries(scope, within, lineOf);
  });
}

/** Reads the packages that a pom or a profile names, and the versions that it manages. */
function scopeEntries(
  scope: JsonObject,
  within: PomCoordinateResolver,
  lineOf: LineOf,
): DeclaredDependencyEntry[] {
  const named = withoutManagedPlugins(findPomPackageElements(scope), within).map(
    ({ element, group, usualGroup }) => {
      const entry = entryOf(element, within, lineOf, usualGroup);
      return group === undefined ? entry : { ...entry, group };
    },
  );
  const managed = findManagedDependencyElements(scope).map((element) => {
    const entry = entryOf(element, within, lineOf);
    return entry.group === "import" ? entry : { ...entry, group: "constraint" };
  });
  return [...named, ...managed];
}

/** Plugins without a version are left out where the same plugin has one. */
function withoutManagedPlugins(
  elements: readonly PomPackageElement[],
  context: PomCoordinateResolver,
): readonly PomPackageElement[] {
  const nameOf = ({ element }: PomPackageElement) =>
    context.nameOf(element, defaultMavenPluginGroup).name;
  const managed = new Set(
    elements.filter((each) => isPlugin(each) && hasVersion(each)).map(nameOf),
  );
  return elements.filter(
    (each) => !isPlugin(each) || hasVersion(each) || !managed.has(nameOf(each)),
  );
}

function hasVersion({ element }: PomPackageElement): boolean {
  return readXmlElementOrAttributeText(element, "version") !== undefined;
}

function isPlugin({ usualGroup }: PomPackageElement): boolean {
  return usualGroup !== undefined;
}

/** Lines of another file mean nothing here. */
const nowhere: LineOf = () => undefined;

/** Finds the packages that have another version with the values of a profile, and those of parents that have one in this pom. */
function* otherEntries(
  root: JsonObject,
  context: PomHierarchyResolver,
  lineOf: LineOf,
): Generator<readonly DeclaredDependencyEntry[]> {
  for (const each of context.alternatives) yield scopeEntries(root, each, lineOf);
  for (const { pom, context: above } of context.parents) {
    const known = new Set(ownEntries(pom, above, nowhere).map(keyOf));
    yield withoutKnown(ownEntries(pom, context, nowhere), known);
    for (const each of context.alternatives) {
      yield withoutKnown(scopeEntries(pom, each, nowhere), known);
    }
  }
}

/** Entries that are not known, each once. */
function withoutKnown(
  entries: readonly DeclaredDependencyEntry[],
  known: Set<string>,
): DeclaredDependencyEntry[] {
  return entries.filter((entry) => known.size < known.add(keyOf(entry)).size);
}

/** Returns the same key for entries that differ only in place and group. */
function keyOf(entry: DeclaredDependencyEntry): string {
  return "reason" in entry
    ? JSON.stringify([entry.text, entry.reason])
    : JSON.stringify([entry.name, entry.requested, "requested"]);
}

/** Properties in use that arguments of Maven set. */
function definedEntries(
  { usedProperties }: PomHierarchyResolver,
  beside: SiblingFileReader,
): DeclaredDependencyEntry[] {
  if (usedProperties.size === 0) return [];
  const reason = "expression: an argument of Maven sets a property that is used here";
  return [...readMavenConfigPropertyNames(beside)]
    .filter((name) => usedProperties.has(name))
    .map((name) => ({ group: "production", text: `-D${name}`, reason }));
}

/** Any dependency may be found in any repository of the project. */
function repositoriesOrigin(scopes: readonly JsonObject[]): PackageDownloadOrigin {
  const repositories = scopes.flatMap((scope) => [
    ...findXmlChildElements(findXmlChildElements(scope, "repositories")[0], "repository"),
    ...findXmlChildElements(
      findXmlChildElements(scope, "pluginRepositories")[0],
      "pluginRepository",
    ),
  ]);
  return mergePackageDownloadSources(
    repositories.map((repository) => {
      const url = readXmlElementOrAttributeText(repository, "url");
      if (url?.includes("${") === true) return { reason: "expression: the address is computed" };
      return toRegistryDownloadSource("maven", url);
    }),
  );
}

function entryOf(
  element: JsonObject,
  context: PomCoordinateResolver,
  lineOf: LineOf,
  usualGroup = "",
): DeclaredDependencyEntry {
  const line = lineOf(element);
  const { name, unresolved } = context.nameOf(element, usualGroup);
  const scope = readXmlElementOrAttributeText(element, "scope") ?? context.managedScope(name);
  const group = groupOf(scope, readXmlElementOrAttributeText(element, "optional"));
  if (unresolved !== undefined) {
    return { group, line, text: name, reason: `expression: ${unresolved} has no value here` };
  }
  if (scope === "system") return { group, line, text: name, reason: "local" };
  const requested = context.versionOf(element, name) ?? null;
  if (requested?.includes("${") === true) return { group, line, name, requested };
  const version = exactVersion(requested);
  return { group, line, name, requested, ...(version !== undefined && { version }) };
}

function groupOf(scope: string | undefined, optional: string | undefined): string {
  if (scope === "test") return "test";
  if (optional === "true") return "optional";
  return scope === "provided" || scope === "import" ? scope : "production";
}

/** A version without brackets is what Maven takes, unless a nearer one wins; `[1.0]` is just that. */
function exactVersion(requested: string | null): string | undefined {
  if (requested === null) return undefined;
  if (/^(LATEST|RELEASE)$/.test(requested)) return undefined;
  return (
    /^\[([^,\s]+)\]$/.exec(requested)?.[1] ?? (/[[(,]/.test(requested) ? undefined : requested)
  );
}
