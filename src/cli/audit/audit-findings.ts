import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";
import { unsupportedGradlePluginRegistryReason } from "../../manifest/maven/gradle-plugins.ts";
import { readStringMemberOrEmpty } from "../read-string-member.ts";
import { findPackageHealthFindingNames, asProtobufJsonObjectElements } from "../tools/findings.ts";
import type { AuditPackageQueryResult } from "./fetch-query-pages.ts";
import type { UnparsableTextLocation } from "./audit-file.ts";

/** One thing that was found, about a package or about a text. */
export interface AuditFinding {
  /**
   * What it is: `deprecated`, `malicious`, `not-found`, `not-assessed`, `unparsed` …,
   * of an advisory `advisory`.
   */
  readonly rule: string;
  /** Words of `--fail-on` that mean it. */
  readonly words: readonly string[];
  /** Of an advisory its id and those that it has elsewhere; empty for all else. */
  readonly ids: readonly string[];
  readonly severity: string | undefined;
  readonly message: string;
}

/** What is found in the answer to a question. A package without an answer was not assessed. */
export function listPackageFindings({
  query: question,
  row,
}: AuditPackageQueryResult): AuditFinding[] {
  if (row === undefined) {
    return [findingOf("not-assessed", `The service gave no answer about ${question.name}.`)];
  }
  const message = messageOf(row);
  const words = new Set(findPackageHealthFindingNames(row));
  const rules = ["malicious", "deprecated", "archived", "stale", "unknown"].filter((word) =>
    words.has(word),
  );
  const others = ["not-found", "not-assessed"].filter((word) => words.has(word));
  const isPartlyRead = hasIncompleteAdvisories(row);
  const unheard = isPartlyRead
    ? "Not all of its advisories could be read."
    : "No source of advisories could be asked.";
  return [
    ...rules.map((rule) => findingOf(rule, message)),
    ...others.map((rule) => findingOf(rule, words.has("unknown") ? message : unheard)),
    ...advisoryFindings(row),
  ];
}

function hasIncompleteAdvisories({ reasons }: JsonObject): boolean {
  return textsIn(reasons).includes("advisories_incomplete");
}

/** What is found in a text that could not be read. */
export function createUnparsedTextFinding(place: UnparsableTextLocation): AuditFinding {
  const found = findingOf(
    "unparsed",
    `${formatUnparsedTextLabel(place)} was not assessed: ${place.reason}`,
  );
  return place.reason === unsupportedGradlePluginRegistryReason
    ? { ...found, words: ["plugin"] }
    : found;
}

/** Returns what a text is called: itself where it may be shown, else its line. */
export function formatUnparsedTextLabel({ shown, line }: UnparsableTextLocation): string {
  return shown ?? (line === undefined ? "a text" : `line ${line.toString()}`);
}

function findingOf(rule: string, message: string): AuditFinding {
  return { rule, words: [rule], ids: [], severity: undefined, message };
}

/** One for each advisory; one for all of a severity where the service gives their number alone. */
function advisoryFindings(row: JsonObject): AuditFinding[] {
  const details = asProtobufJsonObjectElements(row["advisory_details"]).map(advisoryFinding);
  if (details.length > 0) return details;
  const counts = isProtobufJsonObject(row["advisories"]) ? row["advisories"] : {};
  return ["critical", "high", "moderate", "low", "unknown"]
    .map((severity) => ({ severity, count: Number(counts[severity] ?? 0) }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => grade(severity, [], `${count} of severity ${severity}`));
}

function advisoryFinding(advisory: JsonObject): AuditFinding {
  const ids = [readStringMemberOrEmpty(advisory, "id"), ...textsIn(advisory["aliases"])];
  const fixedIn = textsIn(advisory["fixed_in"]);
  const fixed = fixedIn.length === 0 ? "no fix is known" : `fixed in ${fixedIn.join(", ")}`;
  const severity = readStringMemberOrEmpty(advisory, "severity") || "unknown";
  return grade(severity, ids, `${ids[0] ?? ""} (severity ${severity}): ${fixed}`);
}

/** An advisory without a severity may be critical: the databases of Go and PyPA give none. */
function grade(severity: string, ids: readonly string[], message: string): AuditFinding {
  const words = ["advisories", severity === "unknown" ? "not-assessed" : severity];
  return { rule: "advisory", words, ids, severity, message };
}

function messageOf(row: JsonObject): string {
  const message =
    readStringMemberOrEmpty(row["reason"], "message") || readStringMemberOrEmpty(row, "error");
  const target = isProtobufJsonObject(row["install_instead"]) ? row["install_instead"] : undefined;
  const replacement = readStringMemberOrEmpty(row["replacement"], "name");
  const instead =
    target === undefined
      ? replacement
      : `${readStringMemberOrEmpty(target, "name")} ${readStringMemberOrEmpty(target, "version")}`.trim();
  const said = message || `Its verdict is ${readStringMemberOrEmpty(row, "verdict")}.`;
  return instead === "" ? said : `${said} Use ${instead} instead.`;
}

function textsIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
