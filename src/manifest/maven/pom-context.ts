import { asRecord, type JsonObject } from "../../platform/json-value.ts";
import type { Beside } from "../dependency-file.ts";
import { expandProperties } from "../document/expand-properties.ts";
import { elements, elementText, xmlDocument } from "../document/xml-document.ts";

/** What a pom and its parents in the same project say of names and versions. */
export interface PomContext {
  /** `group:artifact`; `unresolved` is a property without a value. */
  nameOf(element: JsonObject): { readonly name: string; readonly unresolved?: string };
  /** Its own version, else the managed one; undefined: a parent elsewhere has it. */
  versionOf(element: JsonObject, name: string): string | undefined;
  managedScope(name: string): string | undefined;
  /** Boms that `dependencyManagement` imports. */
  readonly imported: readonly JsonObject[];
  /** What holds in a profile, whose own values come first. */
  within(profile: JsonObject): PomContext;
}

/** A parent that a pom names by a path and that is not read. */
export interface SkippedParent {
  readonly path: string;
  readonly reason: string;
}

/** Where values are looked up. */
interface Lookup {
  property(name: string): string | undefined;
  managed(name: string): JsonObject | undefined;
}

const mostParents = 10;

/** Gathers what is known. `onSkip` receives a parent that is named and not read. */
export function pomContext(
  root: JsonObject,
  beside: Beside,
  onSkip: (parent: SkippedParent) => void,
): PomContext {
  const chain = [root, ...parentsOf(root, beside, onSkip)];
  const none: Lookup = { property: () => undefined, managed: () => undefined };
  return contextOf(chain, propertiesIn(chain), none);
}

/** Of values at hand, the nearest first, before those of another lookup. */
function contextOf(
  chain: readonly JsonObject[],
  properties: ReadonlyMap<string, string>,
  beyond: Lookup,
): PomContext {
  const property = (name: string) => properties.get(name) ?? beyond.property(name);
  const nameOf = (element: JsonObject) => {
    const parts = [elementText(element, "groupId") ?? "", elementText(element, "artifactId") ?? ""];
    const name = resolveText(parts.join(":"), property);
    const unresolved = unresolvedIn(name);
    return { name, ...(unresolved !== undefined && { unresolved }) };
  };
  const elementsManaged = chain.flatMap(managedElements).toReversed();
  const byName = new Map(elementsManaged.map((element) => [nameOf(element).name, element]));
  const managed = (name: string) => byName.get(name) ?? beyond.managed(name);
  return {
    nameOf,
    versionOf(element, name) {
      const own = elementText(element, "version") ?? elementText(managed(name), "version");
      return own === undefined ? undefined : resolveText(own, property);
    },
    managedScope: (name) => elementText(managed(name), "scope"),
    imported: managedElements(chain[0]).filter(
      (element) => elementText(element, "scope") === "import",
    ),
    within: (profile) => contextOf([profile], valuesOf(profile, new Map()), { property, managed }),
  };
}

function managedElements(pom: JsonObject | undefined): readonly JsonObject[] {
  const [management] = elements(pom, "dependencyManagement");
  return elements(elements(management, "dependencies")[0], "dependency");
}

/** Parents by their relative path, as far as they are there. */
function parentsOf(
  root: JsonObject,
  beside: Beside,
  onSkip: (parent: SkippedParent) => void,
): JsonObject[] {
  const parents: JsonObject[] = [];
  let folder = "";
  let [parent] = elements(root, "parent");
  while (parent !== undefined && parents.length < mostParents) {
    const named = elementText(parent, "relativePath");
    const relative = named ?? "../pom.xml";
    const path = `${folder}${relative.endsWith(".xml") ? relative : `${relative}/pom.xml`}`;
    // Most poms name no path, and their parent is in a registry.
    const skipped = named === undefined ? undefined : (reason: string) => onSkip({ path, reason });
    const text = beside(path, skipped);
    if (text === undefined) break;
    const pom = xmlDocument(text, "project").root;
    parents.push(pom);
    folder = path.slice(0, path.lastIndexOf("/") + 1);
    [parent] = elements(pom, "parent");
  }
  return parents;
}

/** The nearest value of each property, and what a project says of itself. */
function propertiesIn(chain: readonly JsonObject[]): ReadonlyMap<string, string> {
  const properties = new Map<string, string>();
  const [root] = chain;
  const [parent] = elements(root, "parent");
  for (const member of ["groupId", "version"] as const) {
    const value = elementText(root, member) ?? elementText(parent, member);
    const above = elementText(parent, member);
    if (value !== undefined) properties.set(`project.${member}`, value).set(`pom.${member}`, value);
    if (above !== undefined) properties.set(`project.parent.${member}`, above);
  }
  for (const pom of chain) valuesOf(pom, properties);
  return properties;
}

/** Adds the properties of one pom or profile that are not there yet. */
function valuesOf(pom: JsonObject, properties: Map<string, string>): Map<string, string> {
  const table = elements(pom, "properties")[0];
  for (const name of Object.keys(asRecord(table))) {
    const value = elementText(table, name);
    if (value !== undefined && !properties.has(name)) properties.set(name, value);
  }
  return properties;
}

function resolveText(text: string, property: Lookup["property"]): string {
  return expandProperties(text, /\$\{([^${}]+)\}/g, (name) => property(name.trim()));
}

/** The first property that is left, `${name}`. */
function unresolvedIn(text: string): string | undefined {
  const start = text.indexOf("${");
  const end = text.indexOf("}", start);
  return start === -1 || end === -1 ? undefined : text.slice(start, end + 1);
}
