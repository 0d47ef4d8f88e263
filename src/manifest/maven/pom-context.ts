import { asJsonObjectOrEmpty, type JsonObject } from "../../platform/json-value.ts";
import type { ManifestParseBudget, SiblingFileReader } from "../dependency-file.ts";
import { memoizeByObject } from "../document/derive-once.ts";
import { expandPropertyReferences } from "../document/expand-properties.ts";
import {
  findXmlChildElements,
  readXmlElementOrAttributeText,
  parseXml,
} from "../document/xml-document.ts";
import { memoizeRecentParses } from "../document/recent-texts.ts";
import {
  findManagedDependencyElements,
  findPomListElements,
  findPomPackageElements,
} from "./pom-elements.ts";

/** What a pom and its parents in the same project say of names and versions. */
export interface PomCoordinateResolver {
  /** `group:artifact`; `unresolved` is a property without a value. */
  nameOf(
    element: JsonObject,
    usualGroup?: string,
  ): { readonly name: string; readonly unresolved?: string };
  /** Its own version, else the managed one; undefined: a parent elsewhere has it. */
  versionOf(element: JsonObject, name: string): string | undefined;
  managedScope(name: string): string | undefined;
  /** What holds in a profile, whose own values come first. */
  within(profile: JsonObject): PomCoordinateResolver;
}

/** Values of a pom and of the poms that it inherits from. */
export interface PomHierarchyResolver extends PomCoordinateResolver {
  /** The nearest parent that does not stand in the project, if there is one. */
  readonly absentParents: readonly JsonObject[];
  /** Contexts with the values of one profile each, of the pom or a parent: any of them may be active. */
  readonly alternatives: readonly PomCoordinateResolver[];
  /** Parents, each with the context that it has by itself. */
  readonly parents: readonly {
    readonly pom: JsonObject;
    readonly context: PomCoordinateResolver;
  }[];
  /** Names of the properties that were looked up so far. */
  readonly usedProperties: ReadonlySet<string>;
}

/** A file or profile that a pom names and that is not read. */
interface SkippedPart {
  readonly text: string;
  readonly reason: string;
}

/** Where values are looked up. */
interface Lookup {
  property(name: string): string | undefined;
  managed(name: string): JsonObject | undefined;
}

const maxParents = 10;
/** A pom and its parents are read once more for each profile. */
const maxAlternatives = 20;

const tooManyRepeats = "too_many: the audit has no room for versions that it sets elsewhere";

/** Gathers what is known. `onSkip` receives what is named and not read: a parent, or profiles and parents beyond a limit. */
export function createPomHierarchyResolver(
  root: JsonObject,
  beside: SiblingFileReader,
  onSkip: (skipped: SkippedPart) => void,
  budget: ManifestParseBudget | undefined,
): PomHierarchyResolver {
  const { parents, absent } = parentsOf(root, beside, onSkip);
  const chain = [root, ...parents];
  const usedProperties = new Set<string>();
  const none: Lookup = {
    property: (name) => {
      usedProperties.add(name);
      return undefined;
    },
    managed: () => undefined,
  };
  const contextIn = (poms: readonly JsonObject[], of: JsonObject) =>
    contextOf(poms, propertiesIn(poms, of), none);
  const properties = propertiesIn(chain, root);
  const withProfiles = chainsWithProfiles(chain);
  if (withProfiles.length > maxAlternatives) {
    const reason = `too_many: only the first ${maxAlternatives.toString()} that set versions are applied`;
    onSkip({ text: "profiles", reason });
  }
  const canRepeat = (poms: readonly JsonObject[], times: number) =>
    budget?.takeRepeats(times * poms.reduce((sum, pom) => sum + countElements(pom), 0)) !== false;
  const changes = changesInherited(root, properties, parents);
  const isInherited = changes && canRepeat(parents, parents.length);
  if (changes && !isInherited) onSkip({ text: "parent", reason: tooManyRepeats });
  const applied = withProfiles.slice(0, maxAlternatives);
  const alternatives = applied.filter((poms) => canRepeat(poms, 1));
  if (alternatives.length < applied.length) onSkip({ text: "profiles", reason: tooManyRepeats });
  return {
    ...contextOf(chain, properties, none),
    absentParents: absent,
    alternatives: alternatives.map((poms) => contextIn(poms, root)),
    parents: isInherited
      ? parents.map((pom, at) => ({ pom, context: contextIn(parents.slice(at), pom) }))
      : [],
    usedProperties,
  };
}

/** Names of the properties that a pom refers to anywhere. */
const findPropertyReferences = memoizeByObject((pom: JsonObject): ReadonlySet<string> => {
  const references = JSON.stringify(pom).matchAll(/\$\{([^${}]+)\}/g);
  return new Set([...references].map(([, name = ""]) => name.trim()));
});

/** Returns whether a pom gives what it inherits other values than its nearest parent, which is read by itself, has. */
function changesInherited(
  root: JsonObject,
  properties: ReadonlyMap<string, string>,
  parents: readonly JsonObject[],
): boolean {
  const [parent] = parents;
  if (parent === undefined) return false;
  const profiles = findPomListElements(root, "profiles", "profile");
  const scopes = [root, ...profiles];
  if (scopes.some((scope) => findManagedDependencyElements(scope).length > 0)) return true;
  const inherited = propertiesIn(parents, parent);
  const changed = [...properties].flatMap(([name, value]) =>
    inherited.get(name) === value ? [] : name,
  );
  for (const profile of profiles) {
    for (const name of valuesOf(profile, new Map()).keys()) changed.push(name);
  }
  return changed.some((name) => parents.some((pom) => findPropertyReferences(pom).has(name)));
}

/** Returns the number of properties and packages of a pom or a profile, and of the profiles in it. */
const countElements = memoizeByObject((pom: JsonObject): number => {
  const scopes = [pom, ...findPomListElements(pom, "profiles", "profile")];
  return scopes.reduce(
    (sum, scope) =>
      sum +
      Object.keys(asJsonObjectOrEmpty(findXmlChildElements(scope, "properties")[0])).length +
      findManagedDependencyElements(scope).length +
      findPomPackageElements(scope).length,
    0,
  );
});

/** Parents that are stored while their children are read. */
const maxParentTexts = 12;

const parseParent = memoizeRecentParses((text) => parseXml(text, "project").root, maxParentTexts);

/** The poms with one profile, which comes before the pom that has it, for each profile that sets versions. */
function chainsWithProfiles(chain: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const used = new Set(chain.flatMap((pom) => [...findPropertyReferences(pom)]));
  return chain.flatMap((pom, at) =>
    findPomListElements(pom, "profiles", "profile")
      .filter(
        (profile) =>
          [...valuesOf(profile, new Map()).keys()].some((name) => used.has(name)) ||
          findManagedDependencyElements(profile).length > 0,
      )
      .slice(0, maxAlternatives + 1)
      .map((profile) => [...chain.slice(0, at), profile, ...chain.slice(at)]),
  );
}

/** Of values at hand, the nearest first, before those of another lookup. */
function contextOf(
  chain: readonly JsonObject[],
  properties: ReadonlyMap<string, string>,
  beyond: Lookup,
): PomCoordinateResolver {
  const property = (name: string) => {
    const beyondIt = beyond.property(name);
    return properties.get(name) ?? beyondIt;
  };
  const nameOf = (element: JsonObject, usualGroup = "") => {
    const parts = [
      readXmlElementOrAttributeText(element, "groupId") ?? usualGroup,
      readXmlElementOrAttributeText(element, "artifactId") ?? "",
    ];
    const name = resolveText(parts.join(":"), property);
    const unresolved = unresolvedIn(name);
    return { name, ...(unresolved !== undefined && { unresolved }) };
  };
  const elementsManaged = chain.flatMap(findManagedDependencyElements).toReversed();
  const byName = new Map(elementsManaged.map((element) => [nameOf(element).name, element]));
  const managed = (name: string) => byName.get(name) ?? beyond.managed(name);
  return {
    nameOf,
    versionOf(element, name) {
      const own =
        readXmlElementOrAttributeText(element, "version") ??
        readXmlElementOrAttributeText(managed(name), "version");
      return own === undefined ? undefined : resolveText(own, property);
    },
    managedScope: (name) => readXmlElementOrAttributeText(managed(name), "scope"),
    within: (profile) => contextOf([profile], valuesOf(profile, new Map()), { property, managed }),
  };
}

/** Parents by their relative path, as far as they are there. */
function parentsOf(
  root: JsonObject,
  beside: SiblingFileReader,
  onSkip: (skipped: SkippedPart) => void,
): { readonly parents: readonly JsonObject[]; readonly absent: readonly JsonObject[] } {
  const parents: JsonObject[] = [];
  let folder = "";
  let [parent] = findXmlChildElements(root, "parent");
  while (parent !== undefined && parents.length < maxParents) {
    const named = readXmlElementOrAttributeText(parent, "relativePath");
    const relative = named ?? "../pom.xml";
    const path = `${folder}${relative.endsWith(".xml") ? relative : `${relative}/pom.xml`}`;
    // Most poms name no path, and their parent is in a registry.
    const skipped =
      named === undefined
        ? undefined
        : (reason: string) => onSkip({ text: path, reason: `include: ${reason}` });
    const text = beside(path, skipped);
    if (text === undefined) break;
    const pom = parseParent(text);
    parents.push(pom);
    folder = path.slice(0, path.lastIndexOf("/") + 1);
    [parent] = findXmlChildElements(pom, "parent");
  }
  return { parents, absent: parent === undefined ? [] : [parent] };
}

/** The nearest value of each property, and what a project says of itself. */
function propertiesIn(chain: readonly JsonObject[], root: JsonObject): ReadonlyMap<string, string> {
  const properties = new Map<string, string>();
  const [parent] = findXmlChildElements(root, "parent");
  for (const member of ["groupId", "version"] as const) {
    const value =
      readXmlElementOrAttributeText(root, member) ?? readXmlElementOrAttributeText(parent, member);
    const above = readXmlElementOrAttributeText(parent, member);
    if (value !== undefined) properties.set(`project.${member}`, value).set(`pom.${member}`, value);
    if (above !== undefined) properties.set(`project.parent.${member}`, above);
  }
  for (const pom of chain) valuesOf(pom, properties);
  return properties;
}

/** Adds the properties of one pom or profile that are not there yet. */
function valuesOf(pom: JsonObject, properties: Map<string, string>): Map<string, string> {
  const table = findXmlChildElements(pom, "properties")[0];
  for (const name of Object.keys(asJsonObjectOrEmpty(table))) {
    const value = readXmlElementOrAttributeText(table, name);
    if (value !== undefined && !properties.has(name)) properties.set(name, value);
  }
  return properties;
}

function resolveText(text: string, property: Lookup["property"]): string {
  return expandPropertyReferences(text, /\$\{([^${}]+)\}/g, (name) => property(name.trim()));
}

/** The first property that is left, `${name}`. */
function unresolvedIn(text: string): string | undefined {
  const start = text.indexOf("${");
  const end = text.indexOf("}", start);
  return start === -1 || end === -1 ? undefined : text.slice(start, end + 1);
}
