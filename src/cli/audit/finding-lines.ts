import { readStringMemberOrEmpty } from "../read-string-member.ts";
import {
  formatAuditFindingSubject,
  type AuditReport,
  type EvaluatedAuditFinding,
} from "./audit-report.ts";
import {
  closestDependencyRelation,
  type DependencyOccurrence,
  type AuditPackageQuery,
} from "./package-query.ts";

/** A finding as people read it. */
export interface AuditFindingRow {
  readonly finding: EvaluatedAuditFinding;
  readonly subject: string;
  /** `direct, production`, or how the project comes to it. */
  readonly relation: string;
  /** `package-lock.json:12` */
  readonly where: string;
  readonly fix: string;
}

/** The findings that fail, and those that were accepted, each with the way to its package. */
export function toAuditFindingRows(report: AuditReport): AuditFindingRow[] {
  const ofPackages = report.packages.flatMap(({ answer, findings }) =>
    findings.map((finding) => ({
      finding,
      subject: formatAuditFindingSubject(finding.subject),
      relation: relationText(answer.query),
      where: answer.query.locations.map(placeText).join(", "),
      fix: readStringMemberOrEmpty(answer.row, "fixed_version"),
    })),
  );
  const ofTexts = report.texts.map(({ place, finding }) => ({
    finding,
    subject: formatAuditFindingSubject(finding.subject),
    relation: "",
    where: placeText({ file: place.file, line: place.line }),
    fix: "",
  }));
  return [...ofPackages, ...ofTexts];
}

/** What a finding is called: of an advisory its id and severity. */
export function formatAuditFindingName({ rule, ids, severity }: EvaluatedAuditFinding): string {
  return rule === "advisory" ? [severity, ids[0]].filter(Boolean).join(" ") : rule;
}

function relationText(question: AuditPackageQuery): string {
  const relation = closestDependencyRelation(question);
  const groups = [...new Set(question.locations.flatMap((place) => place.groups))];
  const words = [relation === "unknown" ? "" : relation, ...groups].filter(Boolean).join(", ");
  const path = question.locations.flatMap(({ paths }) => paths).find(({ length }) => length > 1);
  if (relation === "direct" || path === undefined) return words;
  return `${words}: ${path.join(" > ")}`;
}

function placeText({ file, line }: Pick<DependencyOccurrence, "file" | "line">): string {
  return line === undefined ? file : `${file}:${line.toString()}`;
}
