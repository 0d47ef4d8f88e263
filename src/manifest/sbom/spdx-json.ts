import {
  asJsonObjectElements,
  asNonBlankString,
  asNonBlankStrings,
  type JsonObject,
} from "../../platform/json-value.ts";
import { DependencyFileSyntaxError, type DependencyFile } from "../dependency-file.ts";
import { parseJsonObject } from "../document/json-document.ts";
import { createJsonMemberLineLookup } from "../document/member-lines.ts";
import { sbomToDependencyFile, readSbomObjectList } from "./sbom-file.ts";
import { buildSpdxGraph } from "./spdx-graph.ts";

/** Reads an SPDX document of version 2 in JSON. */
export function parseSpdxJson(text: string): DependencyFile {
  const bill = parseJsonObject(text);
  if (asNonBlankString(bill["spdxVersion"])?.startsWith("SPDX-2") !== true) {
    throw new DependencyFileSyntaxError("invalid_bill: it is no SPDX document of version 2", 1);
  }
  const graph = buildSpdxGraph(
    asJsonObjectElements(bill["relationships"]).map((relationship) => ({
      from: asNonBlankString(relationship["spdxElementId"]) ?? "",
      type: asNonBlankString(relationship["relationshipType"]) ?? "",
      to: asNonBlankString(relationship["relatedSpdxElement"]) ?? "",
    })),
  );
  const lines = createJsonMemberLineLookup(text);
  const components = readSbomObjectList(bill["packages"]).map((entry, at) => {
    const id = asNonBlankString(entry["SPDXID"]) ?? "";
    return {
      id,
      label: labelOf(entry),
      version: asNonBlankString(entry["versionInfo"]),
      packageUrls: packageUrlsOf(entry),
      line: lines("packages", at),
      requires: graph.needs.get(id) ?? [],
    };
  });
  return sbomToDependencyFile(components, [
    ...graph.described,
    ...asNonBlankStrings(bill["documentDescribes"]),
  ]);
}

function labelOf({ name, versionInfo }: JsonObject): string {
  return [name, versionInfo].flatMap((part) => asNonBlankString(part) ?? []).join("@");
}

function packageUrlsOf(entry: JsonObject): string[] {
  const references = asJsonObjectElements(entry["externalRefs"]).filter(({ referenceType }) =>
    /(?:^|\/)purl$/.test(asNonBlankString(referenceType) ?? ""),
  );
  return references.flatMap(({ referenceLocator }) => asNonBlankString(referenceLocator) ?? []);
}
