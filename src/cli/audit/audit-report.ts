import type { JsonObject } from "@bufbuild/protobuf";
import { computeSha256Hex, extractSkipReasonCode } from "../../manifest/manifest.ts";
import type { AuditPackageQueryResult } from "./fetch-query-pages.ts";
import type { DependencyFileToAudit, UnparsableTextLocation } from "./audit-file.ts";
import {
  createUnparsedTextFinding,
  listPackageFindings,
  formatUnparsedTextLabel,
  type AuditFinding,
} from "./audit-findings.ts";
import {
  isAuditBaselineEntryExpired,
  type AuditBaseline,
  type AuditBaselineEntry,
  type AuditFindingSubject,
} from "./baseline.ts";
import { readStringMemberOrEmpty } from "../read-string-member.ts";
import { getManifestRangeEcosystem } from "./package-query.ts";

/** A finding, and what becomes of it. */
export interface EvaluatedAuditFinding extends AuditFinding {
  readonly subject: AuditFindingSubject;
  /** Whether `--fail-on` names it and nobody has accepted it. */
  readonly isFailing: boolean;
  /** The entry that accepts it, or once did. */
  readonly accepted: AuditBaselineEntry | undefined;
  readonly hasExpired: boolean;
}

/** A package, what the service says of it, and what was found. */
export interface AuditReportPackage {
  readonly answer: AuditPackageQueryResult;
  readonly findings: readonly EvaluatedAuditFinding[];
}

/** A text that was not read. */
export interface UnparsedTextFinding {
  readonly place: UnparsableTextLocation;
  readonly finding: EvaluatedAuditFinding;
}

/** What an audit has come to. */
export interface AuditReport {
  readonly files: readonly DependencyFileToAudit[];
  readonly packages: readonly AuditReportPackage[];
  readonly texts: readonly UnparsedTextFinding[];
  /** Entries of the baseline that no finding needs any more. */
  readonly unused: readonly AuditBaselineEntry[];
  /** Those of them that name a text by its place, or by a part of it, and accept nothing. */
  readonly outdated: ReadonlySet<AuditBaselineEntry>;
  /** ISO 8601. */
  readonly checkedAt: string;
}

/** What findings are held against. */
export interface DependencyAuditPolicy {
  readonly failOn: ReadonlySet<string>;
  readonly baseline: AuditBaseline;
  /** `2026-11-20`, UTC. */
  readonly today: string;
}

/** What was asked, answered and left over. */
export interface AuditReportInput {
  readonly files: readonly DependencyFileToAudit[];
  readonly results: readonly AuditPackageQueryResult[];
  readonly unparsed: readonly UnparsableTextLocation[];
  readonly checkedAt: string;
}

/** Judges what was found. */
export function buildAuditReport(
  parts: AuditReportInput,
  terms: DependencyAuditPolicy,
): AuditReport {
  const packages = parts.results.map((answer) => {
    const subject = subjectOf(answer);
    const findings = listPackageFindings(answer).map((found) => evaluate(found, subject, terms));
    return { answer, findings };
  });
  const texts = parts.unparsed.map((place) => {
    const { file, text, digest, reason } = place;
    const textDigest = digest ?? computeSha256Hex(text);
    const subject = {
      file,
      text,
      isWhole: digest === undefined,
      textDigest,
      digest: computeSha256Hex(`${extractSkipReasonCode(reason)} ${textDigest}`),
      shown: formatUnparsedTextLabel(place),
    };
    return { place, finding: evaluate(createUnparsedTextFinding(place), subject, terms) };
  });
  const { files, checkedAt } = parts;
  const used = new Set(
    [...packages.flatMap(({ findings }) => findings), ...texts.map(({ finding }) => finding)].map(
      ({ accepted }) => accepted,
    ),
  );
  const unused = terms.baseline.entries.filter((entry) => !used.has(entry));
  const outdated = new Set(
    texts
      .flatMap(({ finding }) => terms.baseline.findOutdated(finding.subject, finding) ?? [])
      .filter((entry) => !used.has(entry)),
  );
  return { files, packages, texts, unused, outdated, checkedAt };
}

/** All findings, those of packages first. */
export function listAuditFindings({ packages, texts }: AuditReport): EvaluatedAuditFinding[] {
  return [...packages.flatMap(({ findings }) => findings), ...texts.map(({ finding }) => finding)];
}

/** The version that was assessed, or where there is none the one that was asked for. */
function subjectOf({ query: question, row }: AuditPackageQueryResult): AuditFindingSubject {
  const { ecosystem, name, version, requested } = question;
  return {
    ecosystem,
    name,
    version: readStringMemberOrEmpty(row, "version") || (version ?? requested),
  };
}

function evaluate(
  found: AuditFinding,
  subject: AuditFindingSubject,
  terms: DependencyAuditPolicy,
): EvaluatedAuditFinding {
  const accepted = terms.baseline.find(subject, found);
  const hasExpired = accepted !== undefined && isAuditBaselineEntryExpired(accepted, terms.today);
  const isNamed = found.words.some((word) => terms.failOn.has(word));
  const isFailing = isNamed && (accepted === undefined || hasExpired);
  return { ...found, subject, accepted, hasExpired, isFailing };
}

/** How a package is shown: `npm left-pad 1.3.0`. */
export function formatAuditFindingSubject(subject: AuditFindingSubject): string {
  if ("file" in subject) return subject.shown;
  const version = subject.version === null ? "" : ` ${subject.version}`;
  return `${subject.ecosystem} ${subject.name}${version}`;
}

/** Whether the latest was assessed because nothing pins a version. */
export function isUnpinnedPackage({ query: question, row }: AuditPackageQueryResult): boolean {
  const isRange = getManifestRangeEcosystem(question) !== undefined;
  return question.version === undefined && !isRange && row !== undefined;
}

/** The rows of the service, for those who show them. */
export function toPackageAuditJsonRow({ answer }: AuditReportPackage): JsonObject {
  const { ecosystem, name, requested } = answer.query;
  return answer.row === undefined
    ? { ecosystem, name, requested, verdict: "unknown", error: "it was not assessed" }
    : { ...answer.row, requested };
}
