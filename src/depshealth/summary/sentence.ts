import type { PackageInfo } from "../facts.ts";
import type {
  MaintenanceVerdictResult,
  VerdictReasonCode,
  MaintenanceVerdict,
} from "../verdict/verdict.ts";
import { findLowestFixedVersion } from "./lowest-fixed-version.ts";
import type { CallerTaskGoal } from "./goal.ts";
import {
  describeNewOrMisnamedPackage,
  describeVulnerabilities,
  isVersionOlderThanLatest,
  describeUnansweredDataSource,
  describeAssessedVersion,
} from "./describe-version.ts";

/** What the sentence is made of. */
export interface PackageSummaryInput {
  readonly info: PackageInfo;
  readonly verdict: MaintenanceVerdictResult;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * One sentence: what the package is, why, what the assessed version is like,
 * what is known against it, and what that means for the goal. The goal changes
 * the last part only. Malice leads, whatever the verdict is.
 */
export function buildPackageSummarySentence(it: PackageSummaryInput, goal: CallerTaskGoal): string {
  const { info: known, verdict: judgement, now } = it;
  const subject = [known.displayName ?? known.name, known.version]
    .filter((part) => part !== null)
    .join(" ");
  const malware = known.advisories?.find(({ malicious }) => malicious);
  if (malware !== undefined) {
    return `${subject} is malicious: ${malware.id} says that it was made to harm; ${malwareAdvice[goal]}.`;
  }
  const parts = [
    `${subject} is ${stateText[judgement.verdict]}: ${cause(it)}`,
    describeAssessedVersion(known, judgement, now),
    describeVulnerabilities(known),
    describeNewOrMisnamedPackage(judgement),
    adviceFor[goal][judgement.verdict](it),
  ];
  return `${parts.filter((part) => part !== "").join("; ")}.`;
}

const malwareAdvice: Readonly<Record<CallerTaskGoal, string>> = {
  choosing: "do not install it",
  upgrading: "remove it wherever it is installed",
  auditing: "report it as an incident",
  general: "do not install it, and remove it where it is installed",
};

const stateText: Readonly<Record<MaintenanceVerdict, string>> = {
  deprecated: "deprecated",
  archived: "archived",
  stale: "stale",
  active: "active",
  unknown: "of unknown health",
};

const causeText: Readonly<Record<VerdictReasonCode, string>> = {
  not_found: "its registry does not know the name",
  removed_by_registry: "its registry has taken it down",
  version_not_found: "its registry does not have that version",
  deprecated_package: "its publisher says not to use it",
  deprecated_version: "its publisher says not to use this version",
  all_releases_withdrawn: "every stable release was taken back",
  rustsec_unmaintained: "RustSec lists it as unmaintained",
  product_eol: "each of its release cycles is past its end of life",
  curated: "its maintainers say not to use it",
  repository_archived: "its source is read-only",
  inactive_classifier: "its publisher marks it inactive",
  no_recent_activity: "neither a release nor a push for long",
  no_recent_release: "no release for long",
  recent_release: "it was released not long ago",
  recent_push: "its source is being worked on",
  evidence_missing: "nobody says when it was last released or worked on",
  cycle_eol: "its release cycle has ended",
  version_withdrawn: "the version was taken back",
  malicious_version: "the version is malicious",
  new_package: "it is new",
  did_you_mean: "another package may be meant",
  install_script: "it runs a script when it is installed",
  advisories_incomplete: "not all of its advisories could be read",
  advisory_by_registry: "its registry lists advisories of its own",
  repository_link_suspect: "its repository may have moved",
  finished_candidate: "it may simply be finished",
  curated_note: "its maintainers have something to say",
  source_failed: "a source could not be asked",
};

/** Of the latest version where the assessed one is another; of what is missing, who did not tell it. */
function cause({ info: known, verdict: judgement }: PackageSummaryInput): string {
  const { code } = judgement.reasons[0];
  if (code === "recent_release" && isVersionOlderThanLatest(known)) {
    return `its latest version, ${known.latestVersion ?? ""}, was released not long ago`;
  }
  return (
    (code === "evidence_missing" ? describeUnansweredDataSource(known) : undefined) ??
    causeText[code]
  );
}

type Advice = (it: PackageSummaryInput) => string;

const nothing: Advice = () => "";

/** What a verdict means for a goal (docs/dependency-health.md has the table). */
const adviceFor: Readonly<Record<CallerTaskGoal, Readonly<Record<MaintenanceVerdict, Advice>>>> = {
  choosing: {
    deprecated: (it) =>
      betterVersion(it) ?? `choose ${successor(it) ?? "something else"} for new work`,
    archived: (it) => `choose ${successor(it) ?? "something else"}, nobody will mend it`,
    stale: (it) =>
      mayBeFinished(it)
        ? "it may simply be finished, so look at its open issues before you choose it"
        : "look for something that is worked on before you choose it",
    active: (it) => {
      if (!knowsFlaws(it)) return "look for them elsewhere before you choose it";
      const upgrade = upgradeTo(it);
      if (upgrade !== undefined) return upgrade;
      if (needsCaution(it)) return "look at who publishes it before you choose it";
      return hasFlaws(it)
        ? "choose a version without them"
        : "nothing found speaks against choosing it";
    },
    unknown: (it) =>
      it.info.existence === "not_found"
        ? "check the name before you choose it"
        : "do not choose it on this evidence alone",
  },
  upgrading: {
    deprecated: (it) =>
      betterVersion(it) ?? moveTo(it) ?? "no upgrade mends that, so plan to leave it",
    archived: (it) => moveTo(it) ?? "do not wait for another release",
    stale: (it) => `${latest(it)}, and another release is not to be expected soon`,
    active: (it) => upgradeTo(it) ?? latest(it),
    unknown: nothing,
  },
  auditing: {
    deprecated: (it) => {
      const version = betterVersion(it);
      return version === undefined
        ? `report it, with ${successor(it) ?? "its removal"} as the remedy`
        : `report it, and ${version}`;
    },
    archived: () => "report it as without maintenance",
    stale: (it) =>
      mayBeFinished(it) ? "a note, hardly a finding" : "note its age, which is no flaw by itself",
    active: (it) => {
      if (!knowsFlaws(it)) return "report them as not known";
      return hasFlaws(it)
        ? ["report the advisories", upgradeTo(it)].filter(Boolean).join(", and ")
        : "no finding";
    },
    unknown: () => "report it as not assessed",
  },
  general: {
    deprecated: (it) => betterVersion(it) ?? moveTo(it) ?? "",
    archived: (it) => moveTo(it) ?? "",
    stale: (it) => (mayBeFinished(it) ? "it may simply be finished" : ""),
    active: (it) => upgradeTo(it) ?? "",
    unknown: nothing,
  },
};

function successor({ verdict: judgement }: PackageSummaryInput): string | undefined {
  return judgement.replacement?.name;
}

function moveTo(it: PackageSummaryInput): string | undefined {
  const name = successor(it);
  return name === undefined ? undefined : `move to ${name}`;
}

/** A version that is not deprecated, where only this one is. */
function betterVersion(it: PackageSummaryInput): string | undefined {
  return it.verdict.reasons[0].code === "deprecated_version" ? upgradeTo(it) : undefined;
}

/** The lowest version without this one's flaws; of an old version without any, the latest. */
function upgradeTo(it: PackageSummaryInput): string | undefined {
  const { info: known } = it;
  const isBetter = !hasFlaws(it) || it.verdict.reasons[0].code === "deprecated_version";
  const version = isBetter
    ? isVersionOlderThanLatest(known)
      ? known.latestVersion
      : null
    : findLowestFixedVersion(known);
  return version === null || version === undefined ? undefined : `upgrade to ${version}`;
}

function latest({ info: known }: PackageSummaryInput): string {
  if (known.latestVersion === null) return "its latest version is not known";
  return known.latestVersion === known.version
    ? "it is the latest version"
    : `the latest version is ${known.latestVersion}`;
}

/** False: no source could be asked, which is no good news. */
function knowsFlaws({ info: known }: PackageSummaryInput): boolean {
  return known.advisories !== null;
}

function hasFlaws({ info: known }: PackageSummaryInput): boolean {
  return known.advisories !== null && known.advisories.length > 0;
}

/** Somebody may have taken the name to be mistaken for another, or to wait for whom an invented name misleads. */
function needsCaution({ verdict: judgement }: PackageSummaryInput): boolean {
  return judgement.reasons.some(({ code }) => code === "new_package" || code === "did_you_mean");
}

function mayBeFinished({ verdict: judgement }: PackageSummaryInput): boolean {
  return judgement.reasons.some(({ code }) => code === "finished_candidate");
}
