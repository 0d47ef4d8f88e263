import type { VersionFacts } from "../facts.ts";
import { DocumentReadError } from "../fetch/document-error.ts";
import {
  asJsonObjectOrEmpty,
  asNonBlankString,
  isoDateToEpochMilliseconds,
} from "../../platform/json-value.ts";
import { createTextDocumentReader } from "../fetch/read-document.ts";
import { assertVersionCount, sortUniqueVersions } from "./sort-versions.ts";
import { versionOrders } from "./version-order.ts";

/** A file of the sparse index: one JSON object a line for each version. */
export const crateIndexReader = createTextDocumentReader((text): readonly VersionFacts[] => {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return sortUniqueVersions(versionOrders.cargo, assertVersionCount(lines).flatMap(versionOf));
});

function versionOf(line: string): readonly VersionFacts[] {
  const entry = asJsonObjectOrEmpty(parse(line));
  const version = asNonBlankString(entry["vers"]);
  if (version === undefined) return [];
  return [
    {
      version,
      stable: versionOrders.cargo.isStable(version),
      releasedAt: isoDateToEpochMilliseconds(entry["pubtime"]) ?? null,
      ...(entry["yanked"] === true && { withdrawal: { kind: "yanked" as const, reason: null } }),
    },
  ];
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new DocumentReadError("not JSON");
  }
}
