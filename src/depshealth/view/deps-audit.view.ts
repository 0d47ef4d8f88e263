import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  DepsAuditReportSchema,
  type AuditAdvisorySchema,
  type DepsAuditReport,
  type NotAssessedSchema,
  type PackageAuditSchema,
} from "../../../gen/ts/causeway/depshealth/v1/deps_audit_pb.ts";
import { advisoryCounts, countRows, rowAges, rowError, type AuditRow } from "../audit/audit-row.ts";
import type { AuditedPackage, AuditPlan } from "../audit/plan-audit.ts";
import { versionStep, wantedVersion } from "../audit/version-step.ts";
import type { AdvisoryFacts, KnownPackage } from "../facts.ts";
import type { ManifestKind } from "../../manifest/manifest.ts";
import { fixingVersion } from "../summary/fixing-version.ts";
import { installTarget } from "../summary/install-target.ts";
import {
  ecosystemValues,
  groupValues,
  severityValues,
  stepValues,
  verdictValues,
} from "./enums.ts";

/** What an audit has come to. */
export interface FinishedAudit {
  readonly plan: AuditPlan;
  /** Of what was assessed of the plan. */
  readonly rows: readonly AuditRow[];
  /** Undefined: nothing was recognised, or no manifest was sent. */
  readonly manifestKind: ManifestKind | undefined;
  readonly now: number;
}

/** The answer of `deps_audit`. */
export function viewDepsAudit({ plan, rows, manifestKind, now }: FinishedAudit): DepsAuditReport {
  return create(DepsAuditReportSchema, {
    object: "deps_audit",
    packages: rows.map((row) => rowView(row, now)),
    unparsed: plan.unparsed.map(({ line, text, reason }) => ({ line, text, reason })),
    notAssessed: plan.notAssessed.map(notAssessedView),
    manifestKind: manifestKind ?? "unknown",
    summary: {
      ...countRows(rows),
      notAssessed: plan.notAssessed.length,
      unparsed: plan.unparsed.length,
    },
    checkedAt: timestampFromMs(now),
  });
}

function rowView(
  { asked, assessed }: AuditRow,
  now: number,
): MessageInitShape<typeof PackageAuditSchema> {
  const { known, judgement } = assessed;
  const ages = rowAges(known, now);
  return {
    ecosystem: ecosystemValues[known.ecosystem],
    name: known.name,
    requested: asked.requested ?? undefined,
    version: known.version ?? undefined,
    verdict: verdictValues[judgement.verdict],
    latestVersion: known.latestVersion ?? undefined,
    latestAgeDays: ages.latest,
    lastPushAgeDays: ages.push,
    advisories: known.advisories === null ? undefined : advisoryCounts(known.advisories),
    replacement: judgement.replacement,
    error: rowError(known),
    reasons: judgement.reasons.map(({ code }) => code),
    reason: judgement.reasons[0],
    advisoryDetails: (known.advisories ?? []).map(advisoryView),
    fixedVersion: fixingVersion(known),
    ...stepsView(asked, known),
    dependencyGroup: asked.group === undefined ? undefined : groupValues[asked.group],
    license: known.license ?? undefined,
    installInstead: installTarget(assessed),
    displayName: known.writtenName ?? known.name,
  };
}

function advisoryView(advisory: AdvisoryFacts): MessageInitShape<typeof AuditAdvisorySchema> {
  const { id, aliases, severity, fixedIn } = advisory;
  return { id, aliases: [...aliases], severity: severityValues[severity], fixedIn: [...fixedIn] };
}

/** The versions to go to, and how far each is from the assessed one. */
function stepsView(asked: AuditedPackage, known: KnownPackage) {
  const { ecosystem, version, latestVersion } = known;
  const wanted = wantedVersion(asked, known) ?? undefined;
  const stepTo = (to: string | null) => {
    const step = versionStep(ecosystem, version, to);
    return step === undefined ? undefined : stepValues[step];
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
}: AuditedPackage): MessageInitShape<typeof NotAssessedSchema> {
  return {
    ecosystem: ecosystemValues[reference.ecosystem],
    name: reference.name,
    requested: requested ?? undefined,
    reason: "limit",
  };
}
