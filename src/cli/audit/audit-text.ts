import { sanitizeTerminalLine } from "../format-cell.ts";
import { formatDepsAudit } from "../tools/format-reports.ts";
import { buildAuditSummaryJson } from "./audit-json.ts";
import {
  toPackageAuditJsonRow,
  type AuditReport,
  type AuditReportPackage,
} from "./audit-report.ts";
import type { DependencyFileToAudit, UnparsableTextLocation } from "./audit-file.ts";
import type { AuditBaselineEntry } from "./baseline.ts";
import {
  toAuditFindingRows,
  formatAuditFindingName,
  type AuditFindingRow,
} from "./finding-lines.ts";
import { closestDependencyRelation } from "./package-query.ts";

/** Of more packages only those that something was found in are listed. */
const maxListed = 25;

/** The report for people: the files, a row per package, what fails and how the project comes to it. */
export function formatAuditText(report: AuditReport, listsAll: boolean): string {
  const { packages, texts, files, unused, outdated } = report;
  const isShort = listsAll || packages.length <= maxListed;
  const shown = isShort ? packages : packages.filter(({ findings }) => findings.length > 0);
  const lines = toAuditFindingRows(report);
  const answer = {
    packages: shown.map(rowWithRelation),
    unparsed: texts.map(({ place }) => ({
      ...(place.line !== undefined && { line: place.line }),
      text: placeText(place, files.length > 1),
      reason: place.reason,
    })),
    not_assessed: [],
    summary: buildAuditSummaryJson(report),
  };
  const hidden = packages.length - shown.length;
  return [
    files.length > 1 ? files.map(fileText).join("\n") : "",
    withTitle("fails", lines.filter(({ finding }) => finding.isFailing).map(failingText)),
    withTitle("accepted", lines.flatMap(acceptedText)),
    withTitle("accepted once, and not any more", lines.flatMap(expiredText)),
    withTitle(
      "in the baseline, and not needed",
      unused.filter((entry) => !outdated.has(entry)).map(entryText),
    ),
    withTitle(
      "in the baseline without the text that they accept; write the baseline again",
      unused.filter((entry) => outdated.has(entry)).map(entryText),
    ),
    hidden === 0
      ? ""
      : `${hidden.toString()} packages without a finding are left out; --all lists them.`,
    formatDepsAudit(answer),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function entryText(entry: AuditBaselineEntry): string {
  const subject = "file" in entry ? `${entry.file}: ${entry.text}` : entry.name;
  return `  ${sanitizeTerminalLine(`${subject}: ${entry.finding}`)}`;
}

/** Null for a text that is not shown in the only file. */
function placeText(
  { file, shown }: UnparsableTextLocation,
  isOneOfSeveral: boolean,
): string | null {
  if (!isOneOfSeveral) return shown ?? null;
  return shown === undefined ? file : `${file}: ${shown}`;
}

function rowWithRelation(reported: AuditReportPackage) {
  const relation = closestDependencyRelation(reported.answer.query);
  return { ...toPackageAuditJsonRow(reported), relation: relation === "unknown" ? null : relation };
}

function fileText({ path, kind, dependencies, unparsed }: DependencyFileToAudit): string {
  const direct = dependencies.filter(({ relation }) => relation === "direct").length;
  const counts = `${dependencies.length.toString()} packages, ${direct.toString()} direct`;
  const left = unparsed.length === 0 ? "" : `, ${unparsed.length.toString()} not read`;
  return sanitizeTerminalLine(`${path} (${kind}): ${counts}${left}`);
}

function failingText({ finding, subject, relation, where }: AuditFindingRow): string {
  const head = `${formatAuditFindingName(finding)}  ${subject}`;
  const rest = [where, ...(relation === "" ? [] : [relation]), finding.message];
  // Each on one line: a log obeys what stands at the beginning of one.
  return [
    `  ${sanitizeTerminalLine(head)}`,
    ...rest.map((text) => `    ${sanitizeTerminalLine(text)}`),
  ].join("\n");
}

function acceptedText({ finding, subject }: AuditFindingRow): string[] {
  const { accepted, hasExpired } = finding;
  if (accepted === undefined || hasExpired) return [];
  const text = `${formatAuditFindingName(finding)}  ${subject}: ${accepted.reason} (until ${accepted.expires})`;
  return [`  ${sanitizeTerminalLine(text)}`];
}

function expiredText({ finding, subject }: AuditFindingRow): string[] {
  if (finding.accepted === undefined || !finding.hasExpired) return [];
  const { expires } = finding.accepted;
  return [
    `  ${sanitizeTerminalLine(`${formatAuditFindingName(finding)}  ${subject}: until ${expires}`)}`,
  ];
}

function withTitle(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${title}:\n${lines.join("\n")}`;
}
