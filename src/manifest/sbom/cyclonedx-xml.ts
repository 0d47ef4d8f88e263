import type { JsonObject } from "../../platform/json-value.ts";
import type { DependencyFile } from "../dependency-file.ts";
import {
  findXmlChildElements,
  readXmlElementOrAttributeText,
  parseXml,
  type XmlDocument,
} from "../document/xml-document.ts";
import { sbomToDependencyFile, type SbomComponent } from "./sbom-file.ts";

/** Reads a CycloneDX document in XML. */
export function parseCycloneDxXml(text: string): DependencyFile {
  const document = parseXml(text, "bom");
  const { root } = document;
  const needs = new Map(
    findXmlChildElements(findXmlChildElements(root, "dependencies")[0], "dependency").map(
      (entry) => [
        readXmlElementOrAttributeText(entry, "@ref"),
        findXmlChildElements(entry, "dependency").flatMap(
          (each) => readXmlElementOrAttributeText(each, "@ref") ?? [],
        ),
      ],
    ),
  );
  const [main] = findXmlChildElements(findXmlChildElements(root, "metadata")[0], "component");
  const parts = main === undefined ? [] : componentsIn(main, []);
  const all = [...(main === undefined ? [] : [main]), ...parts, ...componentsIn(root, [])];
  const components = all.map((component) => componentOf(component, needs, document));
  return sbomToDependencyFile(components, main === undefined ? [] : [idOf(main)]);
}

/** The parser bounds how deep they stand in one another. */
function componentsIn(parent: JsonObject, found: JsonObject[]): JsonObject[] {
  for (const component of findXmlChildElements(parent, "components").flatMap((list) =>
    findXmlChildElements(list, "component"),
  )) {
    found.push(component);
    componentsIn(component, found);
  }
  return found;
}

function componentOf(
  component: JsonObject,
  needs: ReadonlyMap<string | undefined, readonly string[]>,
  { lineOf }: XmlDocument,
): SbomComponent {
  const id = idOf(component);
  const packageUrl = readXmlElementOrAttributeText(component, "purl");
  return {
    id,
    label: labelOf(component),
    version: readXmlElementOrAttributeText(component, "version"),
    packageUrls: packageUrl === undefined ? [] : [packageUrl],
    line: lineOf(component),
    requires: needs.get(id) ?? [],
  };
}

function idOf(component: JsonObject): string {
  return (
    readXmlElementOrAttributeText(component, "@bom-ref") ??
    readXmlElementOrAttributeText(component, "purl") ??
    labelOf(component)
  );
}

function labelOf(component: JsonObject): string {
  const name = [
    readXmlElementOrAttributeText(component, "group"),
    readXmlElementOrAttributeText(component, "name"),
  ]
    .filter(Boolean)
    .join("/");
  const version = readXmlElementOrAttributeText(component, "version");
  return version === undefined ? name : `${name}@${version}`;
}
