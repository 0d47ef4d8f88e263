import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  DepsAuditReportSchema,
  type AuditAdvisorySchema,
  type DepsAuditReport,
  type NotAssessedSchema,
  type PackageAuditSchema,
} from "../../../gen/ts/causeway/depshealth/v1/deps_audit_pb.ts";
import {
  countAdvisories,
  countPackageAuditResults,
  computeReleaseAndPushAges,
  describeAssessmentFailure,
  type PackageAuditResult,
} from "../audit/audit-row.ts";
import type { RequestedAuditPackage, DependencyAuditPlan } from "../audit/plan-audit.ts";
import { classifyVersionBump, findNewestCompatibleVersion } from "../audit/version-step.ts";
import type { AssessedPackage } from "../assess.ts";
import type { AdvisoryFacts, PackageInfo } from "../facts.ts";
import type { ManifestKind } from "../../manifest/manifest.ts";
import { findLowestFixedVersion } from "../summary/lowest-fixed-version.ts";
import { hasIncompleteAdvisories } from "../verdict/activity-rules.ts";
import { findBetterInstallTarget } from "../summary/install-target.ts";
import {
  ecosystemProtoValues,
  dependencyGroupProtoValues,
  advisorySeverityToProto,
  versionBumpToProto,
  maintenanceVerdictProtoValues,
} from "./enums.ts";

/** A package of an audit with its part of the answer. */
export interface PackageAuditResultWithView extends PackageAuditResult {
  readonly view: MessageInitShape<typeof PackageAuditSchema>;
}

/** What an audit has come to. */
export interface DependencyAuditResult {
  readonly plan: DependencyAuditPlan;
  /** Of what was assessed of the plan. */
  readonly rows: readonly PackageAuditResultWithView[];
  /** Undefined: nothing was recognised, or no manifest was sent. */
  readonly manifestKind: ManifestKind | undefined;
  readonly now: number;
}

/** The answer of `deps_audit`. */
export function viewDepsAuditReport({
  plan,
  rows,
  manifestKind,
  now,
}: DependencyAuditResult): DepsAuditReport {
  return create(DepsAuditReportSchema, {
    object: "deps_audit",
    packages: rows.map(({ view }) => view),
    unparsed: plan.unparsed.map(({ line, text, reason }) => ({ line, text, reason })),
    notAssessed: plan.notAssessed.map(notAssessedView),
    manifestKind: manifestKind ?? "unknown",
    summary: {
      ...countPackageAuditResults(rows),
      notAssessed: plan.notAssessed.length,
      unparsed: plan.unparsed.length,
    },
    checkedAt: timestampFromMs(now),
  });
}

/** The part of the answer that is about one package. */
export function viewPackageAudit(
  asked: RequestedAuditPackage,
  assessed: AssessedPackage,
  now: number,
): MessageInitShape<typeof PackageAuditSchema> {
  const { info: known, verdict: judgement } = assessed;
  const ages = computeReleaseAndPushAges(known, now);
  return {
    ecosystem: ecosystemProtoValues[known.ecosystem],
    name: known.name,
    requested: asked.requested ?? undefined,
    version: known.version ?? undefined,
    verdict: maintenanceVerdictProtoValues[judgement.verdict],
    latestVersion: known.latestVersion ?? undefined,
    latestAgeDays: ages.latest,
    lastPushAgeDays: ages.push,
    advisories: countsView(known),
    replacement: judgement.replacement,
    error: describeAssessmentFailure(known),
    reasons: judgement.reasons.map(({ code }) => code),
    reason: judgement.reasons[0],
    advisoryDetails: (known.advisories ?? []).map(advisoryView),
    fixedVersion: findLowestFixedVersion(known),
    ...stepsView(asked, known),
    dependencyGroup:
      asked.group === undefined ? undefined : dependencyGroupProtoValues[asked.group],
    license: known.license ?? undefined,
    installInstead: findBetterInstallTarget(assessed),
    displayName: known.displayName ?? known.name,
  };
}

/** Undefined unless all are known: a number of some would pass for that of all. */
function countsView(known: PackageInfo) {
  if (known.advisories === null || hasIncompleteAdvisories(known)) return undefined;
  return countAdvisories(known.advisories);
}

function advisoryView(advisory: AdvisoryFacts): MessageInitShape<typeof AuditAdvisorySchema> {
  const { id, aliases, severity, fixedIn } = advisory;
  return {
    id,
    aliases: [...aliases],
    severity: advisorySeverityToProto[severity],
    fixedIn: [...fixedIn],
  };
}

/** The versions to go to, and how far each is from the assessed one. */
function stepsView(asked: RequestedAuditPackage, known: PackageInfo) {
  const { ecosystem, version, latestVersion } = known;
  const wanted = findNewestCompatibleVersion(asked, known) ?? undefined;
  const stepTo = (to: string | null) => {
    const step = classifyVersionBump(ecosystem, version, to);
    return step === undefined ? undefined : versionBumpToProto[step];
  };
  return {
    wantedVersion: wanted,
    wantedStep: stepTo(wanted ?? null),
    latestStep: stepTo(latestVersion),
  };
}

function notAssessedView({
  reference,
  requested,
}: RequestedAuditPackage): MessageInitShape<typeof NotAssessedSchema> {
  return {
    ecosystem: ecosystemProtoValues[reference.ecosystem],
    name: reference.name,
    requested: requested ?? undefined,
    reason: "limit",
  };
}
