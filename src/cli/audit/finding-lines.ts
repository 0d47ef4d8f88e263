import { textIn } from "../text-in.ts";
import { subjectName, type AuditReport, type JudgedFinding } from "./audit-report.ts";
import { relationOf, type PackagePlace, type Question } from "./question.ts";

/** A finding as people read it. */
export interface FindingLine {
  readonly finding: JudgedFinding;
  readonly subject: string;
  /** `direct, production`, or how the project comes to it. */
  readonly relation: string;
  /** `package-lock.json:12` */
  readonly where: string;
  readonly fix: string;
}

/** The findings that fail, and those that were accepted, each with the way to its package. */
export function findingLines(report: AuditReport): FindingLine[] {
  const ofPackages = report.packages.flatMap(({ answer, findings }) =>
    findings.map((finding) => ({
      finding,
      subject: subjectName(finding.subject),
      relation: relationText(answer.question),
      where: answer.question.places.map(placeText).join(", "),
      fix: textIn(answer.row, "fixed_version"),
    })),
  );
  const ofTexts = report.texts.map(({ place, finding }) => ({
    finding,
    subject: subjectName(finding.subject),
    relation: "",
    where: placeText({ file: place.file, line: place.line }),
    fix: "",
  }));
  return [...ofPackages, ...ofTexts];
}

/** What a finding is called: of an advisory its id and severity. */
export function findingName({ rule, ids, severity }: JudgedFinding): string {
  return rule === "advisory" ? [severity, ids[0]].filter(Boolean).join(" ") : rule;
}

function relationText(question: Question): string {
  const relation = relationOf(question);
  const groups = [...new Set(question.places.flatMap((place) => place.groups))];
  const words = [relation === "unknown" ? "" : relation, ...groups].filter(Boolean).join(", ");
  const path = question.places.flatMap(({ paths }) => paths).find(({ length }) => length > 1);
  if (relation === "direct" || path === undefined) return words;
  return `${words}: ${path.join(" > ")}`;
}

function placeText({ file, line }: Pick<PackagePlace, "file" | "line">): string {
  return line === undefined ? file : `${file}:${line.toString()}`;
}
