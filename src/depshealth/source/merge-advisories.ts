import { maxListedDataSourceIdentifiers } from "../fetch/source-text.ts";
import type {
  AdvisoryFacts,
  AffectedVersionRange,
  Ecosystem,
  InformationalAdvisory,
  PackageReplacementCandidate,
} from "../facts.ts";
import { versionOrderByEcosystem } from "../ecosystem/version-order.ts";
import { encodeUrlComponent } from "../fetch/url-component.ts";
import { toAffectedVersionRanges, type AffectedRangeEvent } from "./affected-ranges.ts";
import { parseAdvisoryAlternatives } from "./parse-alternatives.ts";
import {
  isMalwareAdvisoryId,
  type AdvisoryDetails,
  type AdvisoryRecord,
  type AffectedPackage,
} from "./osv-advisory.ts";
import {
  advisorySeverities,
  findWorstAdvisorySeverity,
  isSeverityScore,
  toAdvisorySeverity,
} from "./severity.ts";

export interface AdvisoryPackageVersion {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  /** Null if the package is asked for as a whole. */
  readonly version: string | null;
  /** How the source of the advisories spells the ecosystem. */
  readonly filedAs: string;
}

export interface MergedAdvisories {
  readonly advisories: readonly AdvisoryFacts[];
  readonly notices: readonly InformationalAdvisory[];
  readonly replacements: readonly PackageReplacementCandidate[];
}

/** Several records of one flaw. */
interface Vulnerability {
  readonly ids: Set<string>;
  readonly records: AdvisoryRecord[];
}

/** Selects the records that are not withdrawn at a time; a record may name a later one. */
export function selectStandingAdvisories(
  records: readonly AdvisoryRecord[],
  now: number,
): readonly AdvisoryRecord[] {
  return records.filter(({ details }) => (details?.withdrawnAt ?? Infinity) > now);
}

/**
 * Makes one advisory of all records that name each other as aliases. Each record
 * is judged by its own kind: malware is always an advisory. What is
 * informational is a notice, and a flaw too where it has a score; its aliases are
 * not silenced by it. What is unsound is a flaw. A record that could not be read
 * counts, with its id alone.
 */
export function mergeAdvisories(
  records: readonly AdvisoryRecord[],
  subject: AdvisoryPackageVersion,
): MergedAdvisories {
  const meant = records.filter((record) => isMeant(record, subject));
  const notices = meant.flatMap((record) => noticeOf(record, subject));
  return {
    advisories: vulnerabilitiesOf(meant.filter((record) => isVulnerability(record, subject)))
      .map((flaw) => advisoryOf(flaw, subject))
      .toSorted(compareAdvisoriesBySeverity),
    notices,
    replacements: meant
      .filter((record) => noticeKind(record, subject) === "unmaintained")
      .flatMap(({ details }) => details ?? [])
      .flatMap(({ summary, text }) =>
        parseAdvisoryAlternatives(summary ?? "", text, subject.ecosystem, subject.name),
      )
      .map((name) => ({ name, source: "advisory" as const })),
  };
}

function isMeant({ id, details }: AdvisoryRecord, subject: AdvisoryPackageVersion): boolean {
  if (details === undefined) return true;
  return !isMalwareAdvisoryId(id) || !namesOthersOnly(details, subject);
}

/**
 * Whether a record lists every version of the package that it is about, and not this one. What
 * harms on purpose is often filed by exact versions; others of the name may have another publisher.
 * The source was asked for this version, so all else that it answers with counts.
 */
function namesOthersOnly(details: AdvisoryDetails, subject: AdvisoryPackageVersion): boolean {
  if (subject.version === null) return false;
  const { key } = versionOrderByEcosystem[subject.ecosystem];
  const asked = key(subject.version);
  const own = ownEntries(details, subject);
  const listsOthers = ({ hasRanges, versions }: AffectedPackage) =>
    !hasRanges && versions.length > 0 && versions.every((it) => key(it) !== asked);
  return own.length > 0 && own.every(listsOthers);
}

function vulnerabilitiesOf(records: readonly AdvisoryRecord[]): readonly Vulnerability[] {
  /** A record of the same flaw that was read before, up to the first of them. */
  const parents = records.map((_, place) => place);
  const places = new Map<string, number>();
  for (const [place, record] of records.entries()) {
    for (const id of idsOf(record)) {
      const other = places.get(id);
      if (other === undefined) places.set(id, place);
      else join(parents, place, other);
    }
  }
  const flaws = new Map<number, AdvisoryRecord[]>();
  for (const [place, record] of records.entries()) {
    const first = firstOf(parents, place);
    const known = flaws.get(first);
    if (known === undefined) flaws.set(first, [record]);
    else known.push(record);
  }
  return [...flaws.values()].map((same) => ({ ids: new Set(same.flatMap(idsOf)), records: same }));
}

function idsOf({ id, details }: AdvisoryRecord): readonly string[] {
  return [id, ...(details?.aliases ?? [])];
}

function join(parents: number[], one: number, other: number): void {
  const [left, right] = [firstOf(parents, one), firstOf(parents, other)];
  parents[Math.max(left, right)] = Math.min(left, right);
}

/** Shortens the way on the walk, so that the next is short. */
function firstOf(parents: number[], place: number): number {
  let at = place;
  for (let parent = parents[at]; parent !== undefined && parent !== at; parent = parents[at]) {
    parents[at] = parents[parent] ?? parent;
    at = parent;
  }
  return at;
}

function isVulnerability(record: AdvisoryRecord, subject: AdvisoryPackageVersion): boolean {
  const isGraded = record.details?.vectors.some(isSeverityScore) === true;
  return isGraded || noticeKind(record, subject) === undefined;
}

/** Finds the kind of a notice. Returns undefined for any other record, and for malware. */
function noticeKind(
  record: AdvisoryRecord,
  subject: AdvisoryPackageVersion,
): InformationalAdvisory["kind"] | undefined {
  const { details } = record;
  if (details === undefined || idsOf(record).some(isMalwareAdvisoryId)) return undefined;
  const kinds = affectedOf(details, subject).flatMap(({ informational }) => informational ?? []);
  const kind = kinds.find((word) => word !== "unsound");
  if (kind === undefined) return undefined;
  return kind === "unmaintained" || kind === "notice" ? kind : "other";
}

function noticeOf(
  record: AdvisoryRecord,
  subject: AdvisoryPackageVersion,
): readonly InformationalAdvisory[] {
  const kind = noticeKind(record, subject);
  if (kind === undefined) return [];
  const { id, details } = record;
  return [{ id, kind, summary: details?.summary ?? null, url: pageOf(id) }];
}

function advisoryOf(flaw: Vulnerability, subject: AdvisoryPackageVersion): AdvisoryFacts {
  const records = flaw.records.toSorted((left, right) => preference(left) - preference(right));
  const id = records[0]?.id ?? "";
  const details = records.flatMap((record) => record.details ?? []);
  const affected = details.flatMap((it) => affectedOf(it, subject));
  const malicious = [...flaw.ids].some(isMalwareAdvisoryId);
  const affectedRanges = rangesOf(affected, subject);
  return {
    id,
    aliases: [...flaw.ids]
      .filter((alias) => alias !== id)
      .toSorted()
      .slice(0, maxListedDataSourceIdentifiers),
    severity: findWorstAdvisorySeverity([
      ...details.map(toAdvisorySeverity),
      ...affected.map(({ severity }) =>
        toAdvisorySeverity({ severityWord: severity, vectors: [] }),
      ),
      // Nobody grades what harms on purpose.
      ...(malicious ? (["critical"] as const) : []),
    ]),
    summary: details.find(({ summary }) => summary !== null)?.summary ?? firstLine(details),
    fixedIn: fixedIn(affected, subject),
    ...(affectedRanges.length > 0 && { affectedRanges }),
    url: pageOf(id),
    malicious,
  };
}

function firstLine(details: readonly AdvisoryDetails[]): string | null {
  const line = details
    .flatMap(({ text }) => text.split("\n"))
    .find((text) => text.trim() !== "" && !text.startsWith("#"));
  return line?.trim().slice(0, 300) ?? null;
}

function fixedIn(
  affected: readonly AffectedPackage[],
  { ecosystem }: AdvisoryPackageVersion,
): string[] {
  const { compare } = versionOrderByEcosystem[ecosystem];
  const fixes = affected.flatMap((it) => it.fixedIn);
  // Go's versions are filed without their `v`.
  const spelled = ecosystem === "go" ? fixes.map((fix) => fix.replace(/^v?/, "v")) : fixes;
  return [...new Set(spelled)].slice(0, maxListedDataSourceIdentifiers).toSorted(compare);
}

function rangesOf(
  affected: readonly AffectedPackage[],
  { ecosystem }: AdvisoryPackageVersion,
): readonly AffectedVersionRange[] {
  const order = versionOrderByEcosystem[ecosystem];
  return affected
    .flatMap(({ ranges }) => ranges)
    .map((events) => (ecosystem === "go" ? events.map(withGoPrefix) : events))
    .flatMap((events) => toAffectedVersionRanges(events, order));
}

function withGoPrefix({ kind, version }: AffectedRangeEvent): AffectedRangeEvent {
  return { kind, version: version === "0" ? version : version.replace(/^v?/, "v") };
}

/** Entries of this package; an advisory may name several, and some spell the name otherwise. */
function affectedOf(
  details: AdvisoryDetails,
  subject: AdvisoryPackageVersion,
): readonly AffectedPackage[] {
  const own = ownEntries(details, subject);
  return own.length > 0 ? own : details.affected.slice(0, 1);
}

function ownEntries(
  details: AdvisoryDetails,
  subject: AdvisoryPackageVersion,
): readonly AffectedPackage[] {
  return details.affected.filter(
    ({ ecosystem, name }) =>
      ecosystem.split(":")[0] === subject.filedAs && sameName(name, subject.name),
  );
}

function sameName(left: string, right: string): boolean {
  return left.toLowerCase().replaceAll("_", "-") === right.toLowerCase().replaceAll("_", "-");
}

/** The databases that people look things up in come first. */
const prefixes = ["MAL-", "GHSA-", "CVE-", "RUSTSEC-", "PYSEC-", "GO-"];

function preference({ id, details }: AdvisoryRecord): number {
  const index = prefixes.findIndex((prefix) => id.startsWith(prefix));
  return (index === -1 ? prefixes.length : index) + (details === undefined ? 100 : 0);
}

/** The worst first. */
export function compareAdvisoriesBySeverity(left: AdvisoryFacts, right: AdvisoryFacts): number {
  const gravity =
    advisorySeverities.indexOf(left.severity) - advisorySeverities.indexOf(right.severity);
  return (
    Number(right.malicious) - Number(left.malicious) || gravity || (left.id < right.id ? -1 : 1)
  );
}

function pageOf(id: string): string {
  return `https://osv.dev/vulnerability/${encodeUrlComponent(id)}`;
}
