import type { JsonObject } from "@bufbuild/protobuf";
import type { AnsweredQuestion } from "./ask-pages.ts";
import type { AuditFile, UnparsedPlace } from "./audit-file.ts";
import { findingOfText, findingsOfAnswer, shownName, type Finding } from "./audit-findings.ts";
import { findAcceptance, isExpired, type BaselineEntry, type Subject } from "./baseline.ts";
import { textIn } from "../text-in.ts";

/** A finding, and what becomes of it. */
export interface JudgedFinding extends Finding {
  readonly subject: Subject;
  /** Whether `--fail-on` names it and nobody has accepted it. */
  readonly isFailing: boolean;
  /** The entry that accepts it, or once did. */
  readonly accepted: BaselineEntry | undefined;
  readonly hasExpired: boolean;
}

/** A package, what the service says of it, and what was found. */
export interface ReportedPackage {
  readonly answer: AnsweredQuestion;
  readonly findings: readonly JudgedFinding[];
}

/** A text that was not read. */
export interface ReportedText {
  readonly place: UnparsedPlace;
  readonly finding: JudgedFinding;
}

/** What an audit has come to. */
export interface AuditReport {
  readonly files: readonly AuditFile[];
  readonly packages: readonly ReportedPackage[];
  readonly texts: readonly ReportedText[];
  /** Entries of the baseline that no finding needs any more. */
  readonly unused: readonly BaselineEntry[];
  /** ISO 8601. */
  readonly checkedAt: string;
}

/** What findings are held against. */
export interface Terms {
  readonly failOn: ReadonlySet<string>;
  readonly baseline: readonly BaselineEntry[];
  /** `2026-11-20`, UTC. */
  readonly today: string;
}

/** What was asked, answered and left over. */
export interface AuditParts {
  readonly files: readonly AuditFile[];
  readonly answers: readonly AnsweredQuestion[];
  readonly unparsed: readonly UnparsedPlace[];
  readonly checkedAt: string;
}

/** Judges what was found. */
export function auditReport(parts: AuditParts, terms: Terms): AuditReport {
  const packages = parts.answers.map((answer) => {
    const subject = subjectOf(answer);
    const findings = findingsOfAnswer(answer).map((found) => judge(found, subject, terms));
    return { answer, findings };
  });
  const texts = parts.unparsed.map((place) => {
    const { file, text } = place;
    const subject = { file, text, shown: shownName(place) };
    return { place, finding: judge(findingOfText(place), subject, terms) };
  });
  const { files, checkedAt } = parts;
  const used = new Set(
    [...packages.flatMap(({ findings }) => findings), ...texts.map(({ finding }) => finding)].map(
      ({ accepted }) => accepted,
    ),
  );
  const unused = terms.baseline.filter((entry) => !used.has(entry));
  return { files, packages, texts, unused, checkedAt };
}

/** All findings, those of packages first. */
export function findingsIn({ packages, texts }: AuditReport): JudgedFinding[] {
  return [...packages.flatMap(({ findings }) => findings), ...texts.map(({ finding }) => finding)];
}

/** The version that was assessed, or where there is none the one that was asked for. */
function subjectOf({ question, row }: AnsweredQuestion): Subject {
  const { ecosystem, name, version, requested } = question;
  return { ecosystem, name, version: textIn(row, "version") || (version ?? requested) };
}

function judge(found: Finding, subject: Subject, terms: Terms): JudgedFinding {
  const accepted = findAcceptance(terms.baseline, subject, found, terms.today);
  const hasExpired = accepted !== undefined && isExpired(accepted, terms.today);
  const isNamed = found.words.some((word) => terms.failOn.has(word));
  const isFailing = isNamed && (accepted === undefined || hasExpired);
  return { ...found, subject, accepted, hasExpired, isFailing };
}

/** How a package is shown: `npm left-pad 1.3.0`. */
export function subjectName(subject: Subject): string {
  if ("file" in subject) return subject.shown;
  const version = subject.version === null ? "" : ` ${subject.version}`;
  return `${subject.ecosystem} ${subject.name}${version}`;
}

/** Whether the latest was assessed because nothing pins a version. */
export function isUnpinned({ question, row }: AnsweredQuestion): boolean {
  return question.version === undefined && question.constraint === undefined && row !== undefined;
}

/** The rows of the service, for those who show them. */
export function rowOf({ answer }: ReportedPackage): JsonObject {
  const { ecosystem, name, requested } = answer.question;
  return answer.row === undefined
    ? { ecosystem, name, requested, verdict: "unknown", error: "it was not assessed" }
    : { ...answer.row, requested };
}
