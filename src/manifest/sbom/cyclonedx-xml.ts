import type { JsonObject } from "../../platform/json-value.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { elements, elementText, xmlDocument, type XmlDocument } from "../document/xml-document.ts";
import { billFile, type BillComponent } from "./bill-file.ts";

/** Reads a CycloneDX document in XML. */
export function readCycloneDxXml(text: string): DependencyFile {
  const document = xmlDocument(text, "bom");
  const { root } = document;
  const needs = new Map(
    elements(elements(root, "dependencies")[0], "dependency").map((entry) => [
      elementText(entry, "@ref"),
      elements(entry, "dependency").flatMap((each) => elementText(each, "@ref") ?? []),
    ]),
  );
  const [main] = elements(elements(root, "metadata")[0], "component");
  const all = [...(main === undefined ? [] : [main]), ...componentsIn(root, [])];
  const components = all.map((component) => componentOf(component, needs, document));
  return billFile(components, main === undefined ? [] : [idOf(main)]);
}

/** The parser bounds how deep they stand in one another. */
function componentsIn(parent: JsonObject, found: JsonObject[]): JsonObject[] {
  for (const component of elements(elements(parent, "components")[0], "component")) {
    found.push(component);
    componentsIn(component, found);
  }
  return found;
}

function componentOf(
  component: JsonObject,
  needs: ReadonlyMap<string | undefined, readonly string[]>,
  { lineOf }: XmlDocument,
): BillComponent {
  const id = idOf(component);
  // An ampersand stands in a package URL with several qualifiers.
  const packageUrl = elementText(component, "purl")?.replaceAll("&amp;", "&");
  return {
    id,
    label: labelOf(component),
    packageUrl,
    line: lineOf(component),
    requires: needs.get(id) ?? [],
  };
}

function idOf(component: JsonObject): string {
  return elementText(component, "@bom-ref") ?? elementText(component, "purl") ?? labelOf(component);
}

function labelOf(component: JsonObject): string {
  const name = [elementText(component, "group"), elementText(component, "name")]
    .filter(Boolean)
    .join("/");
  const version = elementText(component, "version");
  return version === undefined ? name : `${name}@${version}`;
}
