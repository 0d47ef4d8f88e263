import { truncateToOneLine, asUsableIdentifiers } from "../fetch/source-text.ts";
import {
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  type JsonObject,
} from "../../platform/json-value.ts";
import { createJsonDocumentParser } from "../fetch/read-document.ts";
import { parseAdvisoryWithdrawal, type AdvisoryRecord } from "../source/osv-advisory.ts";

/**
 * The advisories that PyPI lists for a version (its JSON API, "Known vulnerabilities");
 * undefined where the document has no list of them, as with mirrors. They are graded
 * nowhere in it.
 */
export const pypiAdvisoryRecordsParser = createJsonDocumentParser(
  { members: { vulnerabilities: "whole" } },
  (picked): { readonly records: readonly AdvisoryRecord[] | undefined } => {
    const { vulnerabilities } = asJsonObjectOrEmpty(picked);
    if (!Array.isArray(vulnerabilities)) return { records: undefined };
    return { records: asJsonObjectElements(vulnerabilities).flatMap(recordOf) };
  },
);

function recordOf(entry: JsonObject): readonly AdvisoryRecord[] {
  const id = truncateToOneLine(entry["id"]);
  if (id === undefined) return [];
  const affected = {
    ecosystem: "PyPI",
    name: "",
    fixedIn: asUsableIdentifiers(entry["fixed_in"]),
    versions: [],
    hasRanges: false,
    ranges: [],
    informational: null,
    severity: null,
  };
  const details = {
    aliases: asUsableIdentifiers(entry["aliases"]),
    summary: truncateToOneLine(entry["summary"]) ?? null,
    text: (asNonBlankString(entry["details"]) ?? "").slice(0, 4000),
    withdrawnAt: parseAdvisoryWithdrawal(entry["withdrawn"]),
    severityWord: null,
    vectors: [],
    affected: [affected],
  };
  return [{ id, details }];
}
