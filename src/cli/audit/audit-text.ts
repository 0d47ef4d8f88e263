import { printable } from "../cell.ts";
import { auditText } from "../tools/report-text.ts";
import { summaryJson } from "./audit-json.ts";
import { rowOf, type AuditReport, type ReportedPackage } from "./audit-report.ts";
import type { AuditFile, UnparsedPlace } from "./audit-file.ts";
import { findingLines, findingName, type FindingLine } from "./finding-lines.ts";
import { relationOf } from "./question.ts";

/** Of more packages only those that something was found in are listed. */
const mostListed = 25;

/** The report for people: the files, a row per package, what fails and how the project comes to it. */
export function auditReportText(report: AuditReport, listsAll: boolean): string {
  const { packages, texts, files, unused } = report;
  const isShort = listsAll || packages.length <= mostListed;
  const shown = isShort ? packages : packages.filter(({ findings }) => findings.length > 0);
  const lines = findingLines(report);
  const answer = {
    packages: shown.map(rowWithRelation),
    unparsed: texts.map(({ place }) => ({
      ...(place.line !== undefined && { line: place.line }),
      text: placeText(place, files.length > 1),
      reason: place.reason,
    })),
    not_assessed: [],
    summary: summaryJson(report),
  };
  const hidden = packages.length - shown.length;
  return [
    files.length > 1 ? files.map(fileText).join("\n") : "",
    withTitle("fails", lines.filter(({ finding }) => finding.isFailing).map(failingText)),
    withTitle("accepted", lines.flatMap(acceptedText)),
    withTitle("accepted once, and not any more", lines.flatMap(expiredText)),
    withTitle(
      "in the baseline, and not needed",
      unused.map((entry) => `${"file" in entry ? entry.file : entry.name}: ${entry.finding}`),
    ),
    hidden === 0
      ? ""
      : `${hidden.toString()} packages without a finding are left out; --all lists them.`,
    auditText(answer),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Null for a text that is not shown in the only file. */
function placeText({ file, shown }: UnparsedPlace, isOneOfSeveral: boolean): string | null {
  if (!isOneOfSeveral) return shown ?? null;
  return shown === undefined ? file : `${file}: ${shown}`;
}

function rowWithRelation(reported: ReportedPackage) {
  const relation = relationOf(reported.answer.question);
  return { ...rowOf(reported), relation: relation === "unknown" ? null : relation };
}

function fileText({ path, kind, dependencies, unparsed }: AuditFile): string {
  const direct = dependencies.filter(({ relation }) => relation === "direct").length;
  const counts = `${dependencies.length.toString()} packages, ${direct.toString()} direct`;
  const left = unparsed.length === 0 ? "" : `, ${unparsed.length.toString()} not read`;
  return printable(`${path} (${kind}): ${counts}${left}`);
}

function failingText({ finding, subject, relation, where }: FindingLine): string {
  const way = relation === "" ? "" : `\n    ${relation}`;
  const [head, ...rest] =
    `${findingName(finding)}  ${subject}\n    ${where}${way}\n    ${finding.message}`
      .split("\n")
      .map(printable);
  return [`  ${head ?? ""}`, ...rest].join("\n");
}

function acceptedText({ finding, subject }: FindingLine): string[] {
  const { accepted, hasExpired } = finding;
  if (accepted === undefined || hasExpired) return [];
  const text = `${findingName(finding)}  ${subject}: ${accepted.reason} (until ${accepted.expires})`;
  return [`  ${printable(text)}`];
}

function expiredText({ finding, subject }: FindingLine): string[] {
  if (finding.accepted === undefined || !finding.hasExpired) return [];
  const { expires } = finding.accepted;
  return [`  ${printable(`${findingName(finding)}  ${subject}: until ${expires}`)}`];
}

function withTitle(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${title}:\n${lines.join("\n")}`;
}
