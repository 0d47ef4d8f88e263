import {
  asRecord,
  asRecords,
  asText,
  asTexts,
  type JsonObject,
} from "../../platform/json-value.ts";
import { UnreadableTextError, type DependencyFile } from "../dependency-file.ts";
import { parseJsonObject } from "../document/json-document.ts";
import { findMemberLines } from "../document/member-lines.ts";
import { readSbomComponents, sbomList, type SbomComponent } from "./sbom-file.ts";

/** Components of components of components. */
const maxDepth = 50;

/** Reads a CycloneDX document in JSON. */
export function readCycloneDxJson(text: string): DependencyFile {
  const bill = parseJsonObject(text);
  if (bill["bomFormat"] !== "CycloneDX") {
    throw new UnreadableTextError("invalid_bill: its bomFormat is not CycloneDX", 1);
  }
  const needs = new Map(
    asRecords(bill["dependencies"]).map(({ ref, dependsOn }) => [asText(ref), asTexts(dependsOn)]),
  );
  const lines = findMemberLines(text);
  const main = asRecord(asRecord(bill["metadata"])["component"]);
  const parts = componentsIn(main, () => lines("metadata", "component"));
  const listed = componentsIn(bill, (at) => lines("components", at));
  const components = [{ component: main, line: undefined }, ...parts, ...listed].map(
    ({ component, line }): SbomComponent => {
      const id = idOf(component);
      return {
        id,
        label: labelOf(component),
        packageUrls: [asText(component["purl"]) ?? []].flat(),
        line,
        requires: needs.get(id) ?? [],
      };
    },
  );
  return readSbomComponents(components, [idOf(main)]);
}

/** All of them, also those within others, at the line of the outermost. */
function componentsIn(
  whole: JsonObject,
  lineOf: (at: number) => number | undefined,
): { readonly component: JsonObject; readonly line: number | undefined }[] {
  const found: { component: JsonObject; line: number | undefined }[] = [];
  let level = sbomList(whole["components"]).map((component, at) => ({
    component,
    line: lineOf(at),
  }));
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw new UnreadableTextError("invalid_bill: it nests too deep");
    for (const each of level) found.push(each);
    level = level.flatMap(({ component, line }) =>
      sbomList(component["components"]).map((inner) => ({ component: inner, line })),
    );
  }
  return found;
}

function idOf(component: JsonObject): string {
  return asText(component["bom-ref"]) ?? asText(component["purl"]) ?? labelOf(component);
}

function labelOf({ group, name, version }: JsonObject): string {
  const whole = [asText(group), asText(name)].filter((part) => part !== undefined).join("/");
  return asText(version) === undefined ? whole : `${whole}@${String(version)}`;
}
