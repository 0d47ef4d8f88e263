import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { InvalidArgumentError } from "commander";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";

/** Exit code of a command whose answer holds what `--fail-on` names. */
export const exitCodeWhenFindings = 3;

/** What can be found in a package. */
export const packageFindingNames = [
  "deprecated",
  "archived",
  "stale",
  "unknown",
  "malicious",
  "not-found",
  "not-assessed",
  "advisories",
  "critical",
  "high",
  "moderate",
  "low",
] as const;
/** What can be found in an audit beside its packages. */
export const auditFindingNames = [...packageFindingNames, "unparsed", "plugin"] as const;
/** What can be found in a release cycle. */
export const runtimeCycleFindingNames = ["eol", "security-only"] as const;

/** The worst first. */
const severities = ["critical", "high", "moderate", "low"];

/** `high` means what is worse, too. */
function withWorse(word: string): readonly string[] {
  const at = severities.indexOf(word);
  return at === -1 ? [word] : severities.slice(0, at + 1);
}

/** Reads `deprecated,archived`, or `none`. Throws commander's error for another word. */
export function createFailOnParser(
  known: readonly string[],
): (text: string) => ReadonlySet<string> {
  return (text) => {
    if (text === "none") return new Set();
    const words = text.split(",").map((word) => word.trim());
    if (words.every((word) => known.includes(word))) return new Set(words.flatMap(withWorse));
    throw new InvalidArgumentError(`It must be none, or some of ${known.join(", ")}.`);
  };
}

/** What is found in the answer of `package_health`, or in a row of an audit. */
export function findPackageHealthFindingNames({
  verdict,
  advisories,
  reasons,
}: JsonObject): string[] {
  const hasFlaws = Array.isArray(advisories) ? advisories.length > 0 : countOf(advisories) > 0;
  const found = [...wordOf(verdict), ...reasonFindings(reasons), ...severityWords(advisories)];
  // No source could be asked, although the verdict may be known.
  const isAssessed = advisories !== null;
  return [...found, ...(hasFlaws ? ["advisories"] : []), ...(isAssessed ? [] : ["not-assessed"])];
}

/** Reasons that are findings of their own, whatever the verdict is. */
const findingsByReason = new Map([
  ["malicious_version", "malicious"],
  ["not_found", "not-found"],
  ["version_not_found", "not-found"],
  ["evidence_missing", "not-assessed"],
  ["advisories_incomplete", "not-assessed"],
]);

/** Of reasons with a message (`package_health`), or of their codes alone (`deps_audit`). */
function reasonFindings(reasons: JsonValue | undefined): string[] {
  const given = Array.isArray(reasons) ? reasons : [];
  const codes = given.map((reason) => (isProtobufJsonObject(reason) ? reason["code"] : reason));
  return codes.flatMap((code) =>
    typeof code === "string" ? (findingsByReason.get(code) ?? []) : [],
  );
}

/** What is found in the answer of `runtime_eol`. */
export function findRuntimeEolFindingNames(report: JsonObject): string[] {
  return asProtobufJsonObjectElements(report["cycles"]).flatMap(({ verdict }) => wordOf(verdict));
}

/** The objects of a list. */
export function asProtobufJsonObjectElements(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isProtobufJsonObject) : [];
}

/** Of a list of advisories, or of their counts by severity. */
function severityWords(advisories: JsonValue | undefined): string[] {
  const given = new Set(
    asProtobufJsonObjectElements(advisories).flatMap(({ severity }) => wordOf(severity)),
  );
  const counts = isProtobufJsonObject(advisories) ? advisories : {};
  return severities.filter((word) => given.has(word) || Number(counts[word] ?? 0) > 0);
}

function countOf(advisories: JsonValue | undefined): number {
  return isProtobufJsonObject(advisories) ? Number(advisories["total"]) : 0;
}

function wordOf(verdict: JsonValue | undefined): string[] {
  return typeof verdict === "string" ? [verdict] : [];
}
