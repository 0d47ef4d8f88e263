import { asSourceText, asSourceNames } from "../fetch/source-text.ts";
import { asRecord, asRecords, asText, type JsonObject } from "../../platform/json-value.ts";
import { jsonReader } from "../fetch/read-document.ts";
import type { AdvisoryRecord } from "../source/osv-advisory.ts";

/**
 * The advisories that PyPI lists for a version (its JSON API, "Known vulnerabilities");
 * undefined where the document has no list of them, as with mirrors. They are graded
 * nowhere in it.
 */
export const readVulnerabilities = jsonReader(
  { members: { vulnerabilities: "whole" } },
  (picked): { readonly records: readonly AdvisoryRecord[] | undefined } => {
    const { vulnerabilities } = asRecord(picked);
    if (!Array.isArray(vulnerabilities)) return { records: undefined };
    return { records: asRecords(vulnerabilities).flatMap(recordOf) };
  },
);

function recordOf(entry: JsonObject): readonly AdvisoryRecord[] {
  const id = asSourceText(entry["id"]);
  if (id === undefined) return [];
  const affected = {
    ecosystem: "PyPI",
    name: "",
    fixedIn: asSourceNames(entry["fixed_in"]),
    versions: [],
    hasRanges: false,
    informational: null,
    severity: null,
  };
  const details = {
    aliases: asSourceNames(entry["aliases"]),
    summary: asSourceText(entry["summary"]) ?? null,
    text: (asText(entry["details"]) ?? "").slice(0, 4000),
    isWithdrawn: asText(entry["withdrawn"]) !== undefined,
    severityWord: null,
    vectors: [],
    affected: [affected],
  };
  return [{ id, details }];
}
