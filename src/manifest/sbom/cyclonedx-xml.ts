import type { JsonObject } from "../../platform/json-value.ts";
import type { DependencyFile } from "../dependency-file.ts";
import {
  findChildElements,
  readElementText,
  parseXml,
  type XmlDocument,
} from "../document/xml-document.ts";
import { sbomToDependencyFile, type SbomComponent } from "./sbom-file.ts";

/** Reads a CycloneDX document in XML. */
export function parseCycloneDxXml(text: string): DependencyFile {
  const document = parseXml(text, "bom");
  const { root } = document;
  const needs = new Map(
    findChildElements(findChildElements(root, "dependencies")[0], "dependency").map((entry) => [
      readElementText(entry, "@ref"),
      findChildElements(entry, "dependency").flatMap((each) => readElementText(each, "@ref") ?? []),
    ]),
  );
  const [main] = findChildElements(findChildElements(root, "metadata")[0], "component");
  const parts = main === undefined ? [] : componentsIn(main, []);
  const all = [...(main === undefined ? [] : [main]), ...parts, ...componentsIn(root, [])];
  const components = all.map((component) => componentOf(component, needs, document));
  return sbomToDependencyFile(components, main === undefined ? [] : [idOf(main)]);
}

/** The parser bounds how deep they stand in one another. */
function componentsIn(parent: JsonObject, found: JsonObject[]): JsonObject[] {
  for (const component of findChildElements(parent, "components").flatMap((list) =>
    findChildElements(list, "component"),
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
  const packageUrl = readElementText(component, "purl");
  return {
    id,
    label: labelOf(component),
    version: readElementText(component, "version"),
    packageUrls: packageUrl === undefined ? [] : [packageUrl],
    line: lineOf(component),
    requires: needs.get(id) ?? [],
  };
}

function idOf(component: JsonObject): string {
  return (
    readElementText(component, "@bom-ref") ??
    readElementText(component, "purl") ??
    labelOf(component)
  );
}

function labelOf(component: JsonObject): string {
  const name = [readElementText(component, "group"), readElementText(component, "name")]
    .filter(Boolean)
    .join("/");
  const version = readElementText(component, "version");
  return version === undefined ? name : `${name}@${version}`;
}
