import type {
  PackageDeprecationNotice,
  PackageInfo,
  RegistryPackageStatus,
  PackageVersionFacts,
} from "../facts.ts";
import { describeSuggestedPackage } from "./suggested-package.ts";
import { formatNameCorrectionAdvice } from "./correct-spelling.ts";
import type { MaintenanceVerdictInput, VerdictReason } from "./verdict.ts";

/** Rule 1: nobody knows the name. */
export function findPackageNotFoundReason(it: MaintenanceVerdictInput): VerdictReason | undefined {
  const { info: known } = it;
  if (known.existence !== "not_found") return undefined;
  const { ecosystem, name } = known;
  const spelling = formatNameCorrectionAdvice(ecosystem, name) ?? describeSuggestedPackage(it);
  const isMalware = known.advisories?.some(({ malicious }) => malicious) === true;
  const advice = isMalware
    ? "it may have been taken down for what it does"
    : (spelling ?? "the name may be misspelled or invented");
  return {
    code: "not_found",
    message: `${formatRegistryLabel(known)} has no package ${name}: ${advice}.`,
  };
}

/** Rule 2: taken down, held or emptied by the registry. */
export function findRemovedByRegistryReason({
  info: known,
}: MaintenanceVerdictInput): VerdictReason | undefined {
  if (known.existence !== "removed" && known.status?.kind !== "removed") return undefined;
  const message = known.status?.kind === "removed" ? known.status.message : null;
  return {
    code: "removed_by_registry",
    message: sentence(`${formatRegistryLabel(known)} has taken ${known.name} down`, message),
  };
}

/** The registry does not have the version that was asked for. */
export function findVersionNotFoundReason({
  info: known,
}: MaintenanceVerdictInput): VerdictReason | undefined {
  if (known.versionFound !== false) return undefined;
  const latest = known.latestVersion === null ? "" : `; the latest is ${known.latestVersion}`;
  return {
    code: "version_not_found",
    message: `${formatRegistryLabel(known)} has no version ${known.version ?? "that fits"} of ${known.name}${latest}.`,
  };
}

/** No version was chosen for a range, so none is assessed. */
export function findVersionNotChosenReason({
  info: known,
}: MaintenanceVerdictInput): VerdictReason | undefined {
  if (known.versionUndecided === undefined) return undefined;
  const message = `No version of ${known.name} was assessed: ${known.versionUndecided}.`;
  return { code: "evidence_missing", message };
}

/**
 * Rules 3 and 4: the publisher's own mark, on the package as a whole, on the
 * latest version (which stands for the package), or on the assessed version only.
 */
export function findPublisherDeprecationReason({
  info: known,
}: MaintenanceVerdictInput): VerdictReason | undefined {
  const latest = findPackageVersionFacts(known, known.latestVersion)?.deprecation;
  const whole = known.status?.kind === "deprecated" ? known.status : latest;
  if (whole !== undefined) {
    return {
      code: "deprecated_package",
      message: sentence(
        `The publisher has deprecated ${known.name}${deprecationMessage(whole)}`,
        whole.message,
      ),
    };
  }
  const mark = findPackageVersionFacts(known, known.version)?.deprecation;
  if (mark === undefined) return undefined;
  const better = known.latestVersion === null ? "" : `, but not ${known.latestVersion}, the latest`;
  return {
    code: "deprecated_version",
    message: sentence(
      `The publisher has deprecated ${known.name} ${known.version ?? ""}${better}${deprecationMessage(mark)}`,
      mark.message,
    ),
  };
}

/** Who says so, where it is not the registry that was asked. */
function deprecationMessage(mark: PackageDeprecationNotice | RegistryPackageStatus): string {
  const isWitnessed = "source" in mark && mark.source !== undefined;
  return isWitnessed ? ", as deps.dev tells; the mirror that was asked leaves it out" : "";
}

/** Rule 5: no stable release is left that may be used. */
export function findAllReleasesWithdrawnReason({
  info: known,
}: MaintenanceVerdictInput): VerdictReason | undefined {
  const stable = known.versions.filter((version) => version.stable);
  if (stable.length === 0 || !stable.every(isWithdrawn)) return undefined;
  return {
    code: "all_releases_withdrawn",
    message: `Every stable release of ${known.name} is deprecated, yanked or retracted.`,
  };
}

/** Qualifier: the assessed version was taken back. */
export function findVersionWithdrawnReason({
  info: known,
}: MaintenanceVerdictInput): VerdictReason | undefined {
  const withdrawal = findPackageVersionFacts(known, known.version)?.withdrawal;
  if (withdrawal === undefined) return undefined;
  return {
    code: "version_withdrawn",
    message: sentence(
      `${known.name} ${known.version ?? ""} was ${withdrawal.kind}`,
      withdrawal.reason,
    ),
  };
}

/** The facts of one version; undefined when the registry does not list it. */
export function findPackageVersionFacts(
  known: PackageInfo,
  version: string | null,
): PackageVersionFacts | undefined {
  if (version === null) return undefined;
  return known.versions.find((candidate) => candidate.version === version);
}

/** What the registry is called in sentences. */
export function formatRegistryLabel({ ecosystem }: PackageInfo): string {
  return `The ${ecosystem} registry`;
}

function isWithdrawn({ deprecation, withdrawal }: PackageVersionFacts): boolean {
  return deprecation !== undefined || withdrawal !== undefined;
}

/** A statement of ours, and the words of others after it. */
function sentence(statement: string, words: string | null): string {
  const verbatim = words?.trim() ?? "";
  return verbatim === "" ? `${statement}.` : `${statement}: ${verbatim}`;
}
