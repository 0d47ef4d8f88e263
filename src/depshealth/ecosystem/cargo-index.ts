import type { VersionFacts } from "../facts.ts";
import { DocumentError } from "../fetch/document-error.ts";
import { asRecord, asText, asTime } from "../../platform/json-value.ts";
import { textReader } from "../fetch/read-document.ts";
import { boundedVersions, sortVersions } from "./sort-versions.ts";
import { versionOrders } from "./version-order.ts";

/** A file of the sparse index: one JSON object a line for each version. */
export const readCrateIndex = textReader((text): readonly VersionFacts[] => {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return sortVersions(versionOrders.cargo, boundedVersions(lines).flatMap(versionOf));
});

function versionOf(line: string): readonly VersionFacts[] {
  const entry = asRecord(parse(line));
  const version = asText(entry["vers"]);
  if (version === undefined) return [];
  return [
    {
      version,
      stable: versionOrders.cargo.isStable(version),
      releasedAt: asTime(entry["pubtime"]) ?? null,
      ...(entry["yanked"] === true && { withdrawal: { kind: "yanked" as const, reason: null } }),
    },
  ];
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new DocumentError("not JSON");
  }
}
