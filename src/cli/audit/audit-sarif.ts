import { isAbsolute, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonObject } from "@bufbuild/protobuf";
import { toBaselineFindingName, type AuditFindingSubject } from "./baseline.ts";
import {
  formatAuditFindingSubject,
  type AuditReport,
  type EvaluatedAuditFinding,
} from "./audit-report.ts";
import type { DependencyOccurrence } from "./package-query.ts";

/** What the rules are about. Grades of advisories have one each, since a rule has one severity. */
const rules = new Map([
  ["malicious", "A version that was published to harm"],
  ["deprecated", "A package or version that its publisher or registry says not to use"],
  ["archived", "A package whose repository is read-only"],
  ["stale", "A package that nobody has worked on for long"],
  ["unknown", "A package of which too little is known"],
  ["not-found", "A package or version that its registry does not have"],
  ["not-assessed", "A package that could not be judged"],
  ["unparsed", "A text that names no package that could be assessed"],
  ["advisory-critical", "A flaw of critical severity"],
  ["advisory-high", "A flaw of high severity"],
  ["advisory-moderate", "A flaw of moderate severity"],
  ["advisory-low", "A flaw of low severity"],
  ["advisory-unknown", "A flaw that nobody has graded"],
]);

/** Middle of each grade in CVSS, by which code scanning sorts. */
const severities = new Map([
  ["malicious", "10.0"],
  ["advisory-critical", "9.5"],
  ["advisory-high", "8.0"],
  ["advisory-moderate", "5.5"],
  ["advisory-low", "2.0"],
]);

const ruleIds = [...rules.keys()];

/** The report in the Static Analysis Results Interchange Format, version 2.1.0. */
export function buildAuditSarif({ packages, texts }: AuditReport): JsonObject {
  const results = [
    ...packages.flatMap(({ answer, findings }) =>
      findings.map((finding) => resultOf(finding, answer.query.locations)),
    ),
    ...texts.map(({ place: { file, line }, finding }) => resultOf(finding, [{ file, line }])),
  ];
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver: { name: "Causeway", rules: ruleIds.map(ruleOf) } }, results }],
  };
}

function ruleOf(id: string): JsonObject {
  const severity = severities.get(id);
  return {
    id,
    shortDescription: { text: rules.get(id) ?? id },
    properties: {
      tags: ["dependencies"],
      ...(severity !== undefined && { "security-severity": severity }),
    },
  };
}

function resultOf(
  finding: EvaluatedAuditFinding,
  places: readonly Pick<DependencyOccurrence, "file" | "line">[],
): JsonObject {
  const ruleId = finding.rule === "advisory" ? `advisory-${finding.severity ?? ""}` : finding.rule;
  const subject = formatAuditFindingSubject(finding.subject);
  return {
    ruleId,
    ruleIndex: ruleIds.indexOf(ruleId),
    level: finding.isFailing ? "error" : "note",
    message: { text: `${subject}: ${finding.message}` },
    locations: places.map(locationOf),
    partialFingerprints: {
      "causeway/v1": `${fingerprintSubject(finding.subject)}: ${toBaselineFindingName(finding)}`,
    },
    ...suppressionsOf(finding),
  };
}

/** A text that is not shown whole is told apart from another one on its line. */
function fingerprintSubject(subject: AuditFindingSubject): string {
  const isShownWhole = !("file" in subject) || (subject.isWhole && subject.shown === subject.text);
  return isShownWhole ? formatAuditFindingSubject(subject) : `sha256:${subject.digest}`;
}

function suppressionsOf({ accepted, hasExpired }: EvaluatedAuditFinding): JsonObject {
  if (accepted === undefined || hasExpired) return {};
  const justification = `${accepted.reason} (until ${accepted.expires})`;
  return { suppressions: [{ kind: "external", justification }] };
}

function locationOf({ file, line }: Pick<DependencyOccurrence, "file" | "line">): JsonObject {
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file) },
      region: { startLine: line ?? 1 },
    },
  };
}

/** From the working directory, which is the root of the sources in a CI job; else the whole address. */
function uriOf(file: string): string {
  const path = isAbsolute(file) ? relative(process.cwd(), file) : file;
  if (path.startsWith("..")) return pathToFileURL(file).href;
  return path.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
}
