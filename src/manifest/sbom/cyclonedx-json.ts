import {
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  asNonBlankStrings,
  type JsonObject,
} from "../../platform/json-value.ts";
import { DependencyFileSyntaxError, type DependencyFile } from "../dependency-file.ts";
import { parseJsonObject } from "../document/json-document.ts";
import { createJsonMemberLineLookup } from "../document/member-lines.ts";
import { sbomToDependencyFile, readSbomObjectList, type SbomComponent } from "./sbom-file.ts";

/** Components of components of components. */
const maxDepth = 50;

/** Reads a CycloneDX document in JSON. */
export function parseCycloneDxJson(text: string): DependencyFile {
  const bill = parseJsonObject(text);
  if (bill["bomFormat"] !== "CycloneDX") {
    throw new DependencyFileSyntaxError("invalid_bill: its bomFormat is not CycloneDX", 1);
  }
  const needs = new Map(
    asJsonObjectElements(bill["dependencies"]).map(({ ref, dependsOn }) => [
      asNonBlankString(ref),
      asNonBlankStrings(dependsOn),
    ]),
  );
  const lines = createJsonMemberLineLookup(text);
  const main = asJsonObjectOrEmpty(asJsonObjectOrEmpty(bill["metadata"])["component"]);
  const parts = componentsIn(main, () => lines("metadata", "component"));
  const listed = componentsIn(bill, (at) => lines("components", at));
  const components = [{ component: main, line: undefined }, ...parts, ...listed].map(
    ({ component, line }): SbomComponent => {
      const id = idOf(component);
      return {
        id,
        label: labelOf(component),
        version: asNonBlankString(component["version"]),
        packageUrls: [asNonBlankString(component["purl"]) ?? []].flat(),
        line,
        requires: needs.get(id) ?? [],
      };
    },
  );
  return sbomToDependencyFile(components, [idOf(main)]);
}

/** All of them, also those within others, at the line of the outermost. */
function componentsIn(
  whole: JsonObject,
  lineOf: (at: number) => number | undefined,
): { readonly component: JsonObject; readonly line: number | undefined }[] {
  const found: { component: JsonObject; line: number | undefined }[] = [];
  let level = readSbomObjectList(whole["components"]).map((component, at) => ({
    component,
    line: lineOf(at),
  }));
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw new DependencyFileSyntaxError("invalid_bill: it nests too deep");
    for (const each of level) found.push(each);
    level = level.flatMap(({ component, line }) =>
      readSbomObjectList(component["components"]).map((inner) => ({ component: inner, line })),
    );
  }
  return found;
}

function idOf(component: JsonObject): string {
  return (
    asNonBlankString(component["bom-ref"]) ??
    asNonBlankString(component["purl"]) ??
    labelOf(component)
  );
}

function labelOf({ group, name, version }: JsonObject): string {
  const whole = [asNonBlankString(group), asNonBlankString(name)]
    .filter((part) => part !== undefined)
    .join("/");
  return asNonBlankString(version) === undefined ? whole : `${whole}@${String(version)}`;
}
