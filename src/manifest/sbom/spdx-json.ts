import { asRecords, asText, asTexts, type JsonObject } from "../../platform/json-value.ts";
import { UnreadableText, type DependencyFile } from "../dependency-file.ts";
import { jsonObject } from "../document/json-document.ts";
import { memberLines } from "../document/member-lines.ts";
import { billFile } from "./bill-file.ts";
import { spdxGraph } from "./spdx-graph.ts";

/** Reads an SPDX document of version 2 in JSON. */
export function readSpdxJson(text: string): DependencyFile {
  const bill = jsonObject(text);
  if (asText(bill["spdxVersion"])?.startsWith("SPDX-2") !== true) {
    throw new UnreadableText("invalid_bill: it is no SPDX document of version 2", 1);
  }
  const graph = spdxGraph(
    asRecords(bill["relationships"]).map((relationship) => ({
      from: asText(relationship["spdxElementId"]) ?? "",
      type: asText(relationship["relationshipType"]) ?? "",
      to: asText(relationship["relatedSpdxElement"]) ?? "",
    })),
  );
  const lines = memberLines(text);
  const components = asRecords(bill["packages"]).map((entry, at) => {
    const id = asText(entry["SPDXID"]) ?? "";
    return {
      id,
      label: labelOf(entry),
      packageUrl: packageUrlOf(entry),
      line: lines("packages", at),
      requires: graph.needs.get(id) ?? [],
    };
  });
  return billFile(components, [...graph.described, ...asTexts(bill["documentDescribes"])]);
}

function labelOf({ name, versionInfo }: JsonObject): string {
  return [name, versionInfo].flatMap((part) => asText(part) ?? []).join("@");
}

function packageUrlOf(entry: JsonObject): string | undefined {
  const references = asRecords(entry["externalRefs"]);
  const found = references.find(({ referenceType }) => referenceType === "purl");
  return asText(found?.["referenceLocator"]);
}
