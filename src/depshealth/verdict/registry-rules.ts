import type { DeprecationMark, KnownPackage, PackageMark, VersionFacts } from "../facts.ts";
import { meantWords } from "./meant-package.ts";
import { rightSpelling } from "./right-spelling.ts";
import type { Case, Reason } from "./verdict.ts";

/** Rule 1: nobody knows the name. */
export function unknownPackage(it: Case): Reason | undefined {
  const { known } = it;
  if (known.existence !== "not_found") return undefined;
  const { ecosystem, name } = known;
  const spelling = rightSpelling(ecosystem, name) ?? meantWords(it);
  const advice = spelling ?? "the name may be misspelled or invented";
  return { code: "not_found", message: `${registryOf(known)} has no package ${name}: ${advice}.` };
}

/** Rule 2: taken down, held or emptied by the registry. */
export function removedByRegistry({ known }: Case): Reason | undefined {
  if (known.existence !== "removed" && known.mark?.kind !== "removed") return undefined;
  const message = known.mark?.kind === "removed" ? known.mark.message : null;
  return {
    code: "removed_by_registry",
    message: sentence(`${registryOf(known)} has taken ${known.name} down`, message),
  };
}

/** The registry does not have the version that was asked for. */
export function versionNotFound({ known }: Case): Reason | undefined {
  if (known.versionFound !== false) return undefined;
  const latest = known.latestVersion === null ? "" : `; the latest is ${known.latestVersion}`;
  return {
    code: "version_not_found",
    message: `${registryOf(known)} has no version ${known.version ?? "that fits"} of ${known.name}${latest}.`,
  };
}

/**
 * Rules 3 and 4: the publisher's own mark, on the package as a whole, on the
 * latest version (which stands for the package), or on the assessed version only.
 */
export function deprecatedByPublisher({ known }: Case): Reason | undefined {
  const latest = versionNamed(known, known.latestVersion)?.deprecation;
  const whole = known.mark?.kind === "deprecated" ? known.mark : latest;
  if (whole !== undefined) {
    return {
      code: "deprecated_package",
      message: sentence(`The publisher has deprecated ${known.name}${tell(whole)}`, whole.message),
    };
  }
  const mark = versionNamed(known, known.version)?.deprecation;
  if (mark === undefined) return undefined;
  const better = known.latestVersion === null ? "" : `, but not ${known.latestVersion}, the latest`;
  return {
    code: "deprecated_version",
    message: sentence(
      `The publisher has deprecated ${known.name} ${known.version ?? ""}${better}${tell(mark)}`,
      mark.message,
    ),
  };
}

/** Who says so, where it is not the registry that was asked. */
function tell(mark: DeprecationMark | PackageMark): string {
  const isWitnessed = "witness" in mark && mark.witness !== undefined;
  return isWitnessed ? ", as deps.dev tells; the mirror that was asked leaves it out" : "";
}

/** Rule 5: no stable release is left that may be used. */
export function allReleasesWithdrawn({ known }: Case): Reason | undefined {
  const stable = known.versions.filter((version) => version.stable);
  if (stable.length === 0 || !stable.every(isTakenBack)) return undefined;
  return {
    code: "all_releases_withdrawn",
    message: `Every stable release of ${known.name} is deprecated, yanked or retracted.`,
  };
}

/** Qualifier: the assessed version was taken back. */
export function versionWithdrawn({ known }: Case): Reason | undefined {
  const withdrawal = versionNamed(known, known.version)?.withdrawal;
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
export function versionNamed(
  known: KnownPackage,
  version: string | null,
): VersionFacts | undefined {
  if (version === null) return undefined;
  return known.versions.find((candidate) => candidate.version === version);
}

/** What the registry is called in sentences. */
export function registryOf({ ecosystem }: KnownPackage): string {
  return `The ${ecosystem} registry`;
}

function isTakenBack({ deprecation, withdrawal }: VersionFacts): boolean {
  return deprecation !== undefined || withdrawal !== undefined;
}

/** A statement of ours, and the words of others after it, verbatim. */
function sentence(statement: string, words: string | null): string {
  const verbatim = words?.trim() ?? "";
  return verbatim === "" ? `${statement}.` : `${statement}: ${verbatim}`;
}
