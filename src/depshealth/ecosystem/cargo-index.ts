import { truncateToOneLine } from "../fetch/source-text.ts";
import type { PackageVersionFacts } from "../facts.ts";
import { DataSourceDocumentError } from "../fetch/document-error.ts";
import {
  asJsonObjectOrEmpty,
  asNonBlankString,
  isoDateToEpochMilliseconds,
  type JsonObject,
} from "../../platform/json-value.ts";
import { createTextDocumentParser } from "../fetch/read-document.ts";
import { assertVersionCountWithinLimit, sortUniqueVersions } from "./sort-versions.ts";
import { versionOrderByEcosystem } from "./version-order.ts";

/** Content of a file of the sparse index. */
export interface CrateIndex {
  /** As it was published, or null if no line has it. The path of the file is in lower case. */
  readonly name: string | null;
  readonly versions: readonly PackageVersionFacts[];
}

/** A file of the sparse index: one JSON object a line for each version. */
export const crateIndexParser = createTextDocumentParser((text): CrateIndex => {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const entries = assertVersionCountWithinLimit(lines).map((line) =>
    asJsonObjectOrEmpty(parse(line)),
  );
  return {
    name: truncateToOneLine(entries.at(-1)?.["name"]) ?? null,
    versions: sortUniqueVersions(versionOrderByEcosystem.cargo, entries.flatMap(versionOf)),
  };
});

function versionOf(entry: JsonObject): readonly PackageVersionFacts[] {
  const version = asNonBlankString(entry["vers"]);
  if (version === undefined) return [];
  return [
    {
      version,
      stable: versionOrderByEcosystem.cargo.isStable(version),
      releasedAt: isoDateToEpochMilliseconds(entry["pubtime"]) ?? null,
      ...(entry["yanked"] === true && { withdrawal: { kind: "yanked" as const, reason: null } }),
    },
  ];
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new DataSourceDocumentError("not JSON");
  }
}
