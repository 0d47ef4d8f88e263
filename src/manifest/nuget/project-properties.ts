import { asRecord, type JsonObject } from "../../platform/json-value.ts";
import type { Beside } from "../dependency-file.ts";
import { expandProperties } from "../document/expand-properties.ts";
import { elements, elementText, xmlDocument } from "../document/xml-document.ts";

/** How far up a solution's shared files may be. */
const farthest = 6;

/** The nearest file of a name, here or in a folder above, as MSBuild looks for it. */
export function nearestProject(name: string, beside: Beside): JsonObject | undefined {
  for (let up = 0; up <= farthest; up += 1) {
    const text = beside(`${"../".repeat(up)}${name}`);
    if (text !== undefined) return xmlDocument(text, "Project").root;
  }
  return undefined;
}

/** Items of a name in all item groups. */
export function itemsOf(project: JsonObject | undefined, name: string): readonly JsonObject[] {
  return [...elements(project, "ItemGroup"), ...chosenGroups(project)].flatMap((group) =>
    elements(group, name),
  );
}

function chosenGroups(project: JsonObject | undefined): readonly JsonObject[] {
  const choices = elements(project, "Choose");
  return choices
    .flatMap((choice) => [...elements(choice, "When"), ...elements(choice, "Otherwise")])
    .flatMap((branch) => elements(branch, "ItemGroup"));
}

/** Properties of projects, the first to say one; names are the same in any case. */
export function propertiesOf(
  projects: readonly (JsonObject | undefined)[],
): ReadonlyMap<string, string> {
  const properties = new Map<string, string>();
  for (const group of projects.flatMap((project) => elements(project, "PropertyGroup"))) {
    for (const name of Object.keys(asRecord(group))) {
      const value = elementText(group, name);
      const key = name.toLowerCase();
      if (value !== undefined && !properties.has(key)) properties.set(key, value);
    }
  }
  return properties;
}

/** A text with its `$(Name)`; what has no value stays as it is. */
export function fillIn(text: string, properties: ReadonlyMap<string, string>): string {
  return expandProperties(text, /\$\(([\w.]+)\)/g, (name) => properties.get(name.toLowerCase()));
}
