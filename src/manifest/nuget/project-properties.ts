import { asJsonObjectOrEmpty, type JsonObject } from "../../platform/json-value.ts";
import type { SiblingFileReader } from "../dependency-file.ts";
import { expandPropertyReferences } from "../document/expand-properties.ts";
import { memoizeRecentParses } from "../document/recent-texts.ts";
import {
  findXmlChildElements,
  parseXmlIgnoringCase,
  readXmlElementOrAttributeText,
} from "../document/xml-document.ts";

/** How far up a solution's shared files may be. */
const maxParentFolders = 6;
/** A property that may have more values than this has none here. */
const maxValues = 8;

/** Values that each property may have, by its name in lower case: several where a condition decides. */
export type MsbuildProperties = ReadonlyMap<string, readonly string[]>;

/** Shared files that are stored while the projects below them are read, in several folders maybe. */
const maxSharedFiles = 12;

const parseShared = memoizeRecentParses(
  (text) => parseXmlIgnoringCase(text, "project").root,
  maxSharedFiles,
);

/** The nearest file of a name, here or in a folder above, as MSBuild looks for it. */
export function readNearestMsbuildFile(
  name: string,
  beside: SiblingFileReader,
): JsonObject | undefined {
  for (let up = 0; up <= maxParentFolders; up += 1) {
    const text = beside(`${"../".repeat(up)}${name}`);
    if (text !== undefined) return parseShared(text);
  }
  return undefined;
}

/** Elements that were found below an object, by their name: each project below a shared file asks for the same ones. */
const foundBelow = new WeakMap<JsonObject, Map<string, readonly JsonObject[]>>();

/** Elements of a name, in lower case, anywhere below another: also those of choices and targets. */
export function findXmlDescendantElements(
  parent: JsonObject | undefined,
  name: string,
): readonly JsonObject[] {
  if (parent === undefined) return [];
  const known = foundBelow.get(parent) ?? new Map<string, readonly JsonObject[]>();
  foundBelow.set(parent, known);
  const found = known.get(name) ?? searchElements(parent, name);
  known.set(name, found);
  return found;
}

function searchElements(parent: JsonObject, name: string): readonly JsonObject[] {
  const others = Object.keys(asJsonObjectOrEmpty(parent)).filter(
    (each) => each !== name && !/^[@#]/.test(each),
  );
  const below = others.flatMap((each) =>
    findXmlChildElements(parent, each).flatMap((child) => searchElements(child, name)),
  );
  return [...findXmlChildElements(parent, name), ...below];
}

const sourceProperties: ReadonlyMap<string, string> = new Map(
  ["RestoreSources", "RestoreAdditionalProjectSources"].map((name) => [name.toLowerCase(), name]),
);

/** Addresses and folders that a project takes packages from, each with the element that has it. */
export function readMsbuildRestoreSources(project: JsonObject, properties: MsbuildProperties) {
  return findXmlDescendantElements(project, "propertygroup").flatMap((element) =>
    [...sourceProperties]
      .flatMap(([key, name]) =>
        findXmlChildElements(element, key).map((each) => [name, each] as const),
      )
      .flatMap(([name, each]) =>
        (readXmlElementOrAttributeText(each, "#text") ?? "")
          .split(";")
          .map((text) => text.trim())
          // A property that it adds to is read where it is set.
          .filter((text) => text !== "" && !/^\$\(Restore\w*Sources\)$/i.test(text))
          .flatMap((text) => listPossibleMsbuildExpansions(text, properties))
          .map((address) => ({ name, element, address })),
      ),
  );
}

/** Properties of projects in the order in which MSBuild reads them: the last value without a condition counts, and all behind it. */
export function collectMsbuildProperties(
  projects: readonly (JsonObject | undefined)[],
): MsbuildProperties {
  const properties = new Map<string, string[]>();
  for (const project of projects) {
    const plain = new Set(findXmlChildElements(project, "propertygroup"));
    for (const group of findXmlDescendantElements(project, "propertygroup")) {
      const isCertain =
        plain.has(group) && readXmlElementOrAttributeText(group, "@condition") === undefined;
      for (const name of Object.keys(group)) addValues(properties, name, group, isCertain);
    }
  }
  return properties;
}

function addValues(
  properties: Map<string, string[]>,
  name: string,
  group: JsonObject,
  isCertain: boolean,
): void {
  for (const element of findXmlChildElements(group, name)) {
    const value = readXmlElementOrAttributeText(element, "#text");
    if (value === undefined) continue;
    const known = properties.get(name);
    const isLast = isCertain && readXmlElementOrAttributeText(element, "@condition") === undefined;
    if (known === undefined || isLast) properties.set(name, [value]);
    else if (known.length <= maxValues && !known.includes(value)) known.push(value);
  }
}

/**
 * The texts that a text with `$(Name)` may stand for. What has no value stays as it is, and so does
 * a text with two properties of several values: which of these belong together is not known.
 */
export function listPossibleMsbuildExpansions(
  text: string,
  properties: MsbuildProperties,
): readonly string[] {
  if (!text.includes("$(")) return [text];
  const several = new Map<string, number>();
  const expandAt = (at: number) =>
    expandPropertyReferences(text, /\$\(([\w.]+)\)/g, (name) => {
      const values = properties.get(name.toLowerCase()) ?? [];
      if (values.length > maxValues) return undefined;
      if (values.length > 1) several.set(name.toLowerCase(), values.length);
      return values[Math.min(at, values.length - 1)];
    });
  const first = expandAt(0);
  if (several.size > 1) return [text];
  const [count = 1] = several.values();
  const others = Array.from({ length: count - 1 }, (_, at) => expandAt(at + 1));
  return several.size > 1 ? [text] : [...new Set([first, ...others])];
}
