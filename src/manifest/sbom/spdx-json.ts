import { asRecords, asText, asTexts, type JsonObject } from "../../platform/json-value.ts";
import { UnreadableTextError, type DependencyFile } from "../dependency-file.ts";
import { parseJsonObject } from "../document/json-document.ts";
import { findMemberLines } from "../document/member-lines.ts";
import { readSbomComponents, sbomList } from "./sbom-file.ts";
import { spdxGraph } from "./spdx-graph.ts";

/** Reads an SPDX document of version 2 in JSON. */
export function readSpdxJson(text: string): DependencyFile {
  const bill = parseJsonObject(text);
  if (asText(bill["spdxVersion"])?.startsWith("SPDX-2") !== true) {
    throw new UnreadableTextError("invalid_bill: it is no SPDX document of version 2", 1);
  }
  const graph = spdxGraph(
    asRecords(bill["relationships"]).map((relationship) => ({
      from: asText(relationship["spdxElementId"]) ?? "",
      type: asText(relationship["relationshipType"]) ?? "",
      to: asText(relationship["relatedSpdxElement"]) ?? "",
    })),
  );
  const lines = findMemberLines(text);
  const components = sbomList(bill["packages"]).map((entry, at) => {
    const id = asText(entry["SPDXID"]) ?? "";
    return {
      id,
      label: labelOf(entry),
      packageUrls: packageUrlsOf(entry),
      line: lines("packages", at),
      requires: graph.needs.get(id) ?? [],
    };
  });
  return readSbomComponents(components, [
    ...graph.described,
    ...asTexts(bill["documentDescribes"]),
  ]);
}

function labelOf({ name, versionInfo }: JsonObject): string {
  return [name, versionInfo].flatMap((part) => asText(part) ?? []).join("@");
}

function packageUrlsOf(entry: JsonObject): string[] {
  const references = asRecords(entry["externalRefs"]).filter(({ referenceType }) =>
    /(?:^|\/)purl$/.test(asText(referenceType) ?? ""),
  );
  return references.flatMap(({ referenceLocator }) => asText(referenceLocator) ?? []);
}
