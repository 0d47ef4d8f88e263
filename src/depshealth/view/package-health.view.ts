import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  PackageHealthReportSchema,
  type AdvisorySchema,
  type DeprecationSchema,
  type EvidenceSchema,
  type PackageHealthReport,
  type RepositorySchema,
} from "../../../gen/ts/causeway/depshealth/v1/package_health_pb.ts";
import type { AssessedPackage } from "../assess.ts";
import type { AdvisoryFacts, DataSourceEvidence, PackageInfo, RepositoryFacts } from "../facts.ts";
import { findLowestFixedVersion } from "../summary/lowest-fixed-version.ts";
import { classifyCallerTaskGoal } from "../summary/goal.ts";
import { findBetterInstallTarget } from "../summary/install-target.ts";
import { buildPackageSummarySentence } from "../summary/sentence.ts";
import { hasIncompleteAdvisories, hasRegistryAnswered } from "../verdict/activity-rules.ts";
import { findPackageVersionFacts } from "../verdict/registry-rules.ts";
import {
  ecosystemProtoValues,
  advisorySeverityToProto,
  maintenanceVerdictProtoValues,
} from "./enums.ts";
import { millisecondsToOptionalTimestamp } from "./times.ts";

/** The answer of `package_health`: the verdict, the evidence, and a sentence for the caller's goal. */
export function viewPackageHealth(
  assessed: AssessedPackage,
  taskContext: string,
  now: number,
): PackageHealthReport {
  const { info: known, verdict: judgement } = assessed;
  return create(PackageHealthReportSchema, {
    object: "package_health",
    ecosystem: ecosystemProtoValues[known.ecosystem],
    name: known.name,
    version: known.version ?? undefined,
    verdict: maintenanceVerdictProtoValues[judgement.verdict],
    summary: buildPackageSummarySentence({ ...assessed, now }, classifyCallerTaskGoal(taskContext)),
    reasons: judgement.reasons.map(({ code, message }) => ({ code, message })),
    latestVersion: known.latestVersion ?? undefined,
    latestReleasedAt: millisecondsToOptionalTimestamp(known.latestReleasedAt),
    latestYanked: known.latestYanked ?? undefined,
    deprecation: deprecationView(known),
    repository: known.repository === null ? undefined : repositoryView(known.repository),
    maintainersCount: known.maintainersCount ?? undefined,
    dependentsCount: known.dependentsCount === null ? undefined : BigInt(known.dependentsCount),
    advisories: (known.advisories ?? []).map(advisoryView),
    advisoriesKnown: known.advisories !== null && !hasIncompleteAdvisories(known),
    replacement: judgement.replacement,
    evidence: known.evidence.map(evidenceView),
    checkedAt: timestampFromMs(now),
    fixedVersion: findLowestFixedVersion(known),
    license: known.license ?? undefined,
    installInstead: findBetterInstallTarget(assessed),
    displayName: known.displayName ?? known.name,
  });
}

/**
 * The mark on the assessed version, or on the package; unknown while the registry
 * was not heard, or of a version that it does not have.
 */
function deprecationView(known: PackageInfo): MessageInitShape<typeof DeprecationSchema> {
  const whole = known.status?.kind === "deprecated" ? known.status : undefined;
  const mark = findPackageVersionFacts(known, known.version)?.deprecation ?? whole;
  if (mark !== undefined) return { deprecated: true, message: mark.message ?? undefined };
  const isThere = known.existence === "found" && known.versionFound !== false;
  const isKnown = isThere && hasRegistryAnswered(known);
  return isKnown ? { deprecated: false } : {};
}

function repositoryView(repository: RepositoryFacts): MessageInitShape<typeof RepositorySchema> {
  return {
    url: repository.url,
    archived: repository.archived ?? undefined,
    lastPushAt: millisecondsToOptionalTimestamp(repository.lastPushAt),
  };
}

function advisoryView(advisory: AdvisoryFacts): MessageInitShape<typeof AdvisorySchema> {
  return {
    id: advisory.id,
    aliases: [...advisory.aliases],
    severity: advisorySeverityToProto[advisory.severity],
    summary: advisory.summary ?? undefined,
    fixedIn: [...advisory.fixedIn],
    url: advisory.url,
  };
}

function evidenceView(evidence: DataSourceEvidence): MessageInitShape<typeof EvidenceSchema> {
  return {
    source: evidence.source,
    kind: evidence.kind,
    ok: evidence.ok,
    observedAt: timestampFromMs(evidence.observedAt),
    error: evidence.error,
  };
}
