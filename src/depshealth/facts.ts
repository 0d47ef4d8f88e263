/**
 * What is known of a package, and the port by which it is gathered. Times are
 * milliseconds since the Unix epoch. What is not known is null, never guessed.
 */

import type { PackageEcosystem } from "../platform/ecosystem.ts";

export {
  packageEcosystems as ecosystems,
  type PackageEcosystem as Ecosystem,
} from "../platform/ecosystem.ts";

/** One package that is asked about. */
export interface PackageReference {
  readonly ecosystem: PackageEcosystem;
  /** As the caller wrote it. */
  readonly name: string;
  /** The exact version to assess; undefined: what `select` chooses, else the latest. */
  readonly version?: string;
  /**
   * Chooses the version to assess from what is known, for a range or a tag.
   * Undefined as a result: nothing fits, no version is assessed.
   */
  readonly select?: (
    published: PublishedVersions,
  ) => SelectedOrUndecidedVersion | Promise<SelectedOrUndecidedVersion>;
}

/** Result of a range or a tag; no version at all if nothing fits. */
export type SelectedOrUndecidedVersion = string | UnresolvedVersion | undefined;

/** No version was chosen, although some may fit. */
export interface UnresolvedVersion {
  /** Reason, as the end of a sentence. */
  readonly undecided: string;
}

/** What a range or a tag is resolved against. */
export interface PublishedVersions {
  /** Every version that the registry lists, newest first by the ecosystem's own order. */
  readonly versions: readonly PackageVersionFacts[];
  /** See `PackageInfo.latestVersion`. */
  readonly latestVersion: string | null;
  /** Tags of the registry, `latest` for instance, where it has any (npm). */
  readonly tags: ReadonlyMap<string, string>;
}

/** One published version. */
export interface PackageVersionFacts {
  /** As the registry spells it. */
  readonly version: string;
  /** Not a pre-release in the ecosystem's own terms. */
  readonly stable: boolean;
  readonly releasedAt: number | null;
  /** The publisher's mark on this very version; undefined: none. */
  readonly deprecation?: PackageDeprecationNotice;
  /** Taken back after it was published; undefined: it was not. */
  readonly withdrawal?: VersionWithdrawal;
  /** In the publisher's words; undefined: not said of this very version. */
  readonly license?: string;
  /** It runs what it brings when it is installed; undefined: that is not known of it. */
  readonly installScript?: true;
  /** Name under which it was published, if that is another spelling than the package's (NuGet). */
  readonly publishedAs?: string;
}

export interface PackageDeprecationNotice {
  /** The publisher's words, on one line and cut at 1000 characters; null: a mark without words. */
  readonly message: string | null;
  /** The package that the mark itself names as the successor, in a field of its own (NuGet). */
  readonly alternative?: string;
  /** Who says so where the registry that was asked has no word of it; undefined: the registry. */
  readonly source?: "depsdev";
}

/** How a version was taken back. `removed`: it is gone from the registry, which still names it. */
export interface VersionWithdrawal {
  readonly kind: "yanked" | "retracted" | "unlisted" | "removed";
  /** The publisher's words, on one line and cut at 1000 characters. */
  readonly reason: string | null;
}

/**
 * Whether there is such a package. `not_found`: its registry says so and no
 * other source knows the name. `removed`: the registry, or another source, says
 * that it was taken down. `undetermined`: no source that could tell has
 * answered, or the registry lacks a name that others know.
 */
export type PackageExistence = "found" | "removed" | "not_found" | "undetermined";

/** A mark of the registry on the package as a whole. */
export interface RegistryPackageStatus {
  /**
   * `deprecated`: Go, PyPI, Packagist (abandoned), Maven (relocated), NuGet where all is.
   * `archived`: PyPI, no more releases. `removed`: taken down or held by the
   * registry (npm's holding packages, PyPI quarantine). `inactive`: PyPI's
   * classifier.
   */
  readonly kind: "deprecated" | "archived" | "removed" | "inactive";
  readonly message: string | null;
}

/** The source repository, and what its host says of it. */
export interface RepositoryFacts {
  /** Its web address. */
  readonly url: string;
  /** Host of that address; owner may hold slashes (GitLab's groups). Null where the address has no such parts. */
  readonly host: string;
  readonly owner: string | null;
  readonly name: string | null;
  /** Where in the repository the package lives: one of several there. */
  readonly directory: string | null;
  readonly archived: boolean | null;
  /** Upper bound of activity: of the default branch where the source tells it. */
  readonly lastPushAt: number | null;
}

export type AdvisorySeverity = "critical" | "high" | "moderate" | "low" | "unknown";

/** Versions from one to another, or to the newest if neither end is known. */
export interface AffectedVersionRange {
  /** First affected version; `0` is before all versions. */
  readonly introduced: string;
  readonly fixed?: string;
  readonly lastAffected?: string;
}

/** One flaw that hits the assessed version; its aliases are folded into it. */
export interface AdvisoryFacts {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly severity: AdvisorySeverity;
  readonly summary: string | null;
  /** Versions of this package in which it is fixed. */
  readonly fixedIn: readonly string[];
  /** Versions of this package that it hits; undefined if its records have no ranges. */
  readonly affectedRanges?: readonly AffectedVersionRange[];
  readonly url: string;
  /** Says that the version was made to harm (`MAL-`). */
  readonly malicious: boolean;
  /** Only the registry itself lists it; undefined: the advisory source does. */
  readonly source?: "registry";
}

/** An informational entry of an advisory database: no flaw by itself. */
export interface InformationalAdvisory {
  readonly id: string;
  readonly kind: "unmaintained" | "notice" | "other";
  readonly summary: string | null;
  readonly url: string;
}

/** What may have taken the package's place, by the word of a source. */
export interface PackageReplacementCandidate {
  readonly name: string;
  readonly source: "registry" | "advisory" | "curated";
  /** Its latest version; null: not known. Only of what the registry was asked for. */
  readonly version?: string | null;
}

/** What one source contributed, or that it failed. */
export interface DataSourceEvidence {
  /** An ecosystem's name for its registry, `osv`, `depsdev`, `ecosystems`, `github`, `gitlab`, `forgejo`. */
  readonly source: string;
  readonly kind: "metadata" | "maintainers" | "dependents" | "repository" | "advisories";
  readonly ok: boolean;
  /** When the answer was true at the source; of a failure, when it failed. */
  readonly observedAt: number;
  /** One sentence without addresses; only with `ok: false`. */
  readonly error?: string;
  /** Only with `ok: false`: what the source said before still serves, and has an entry of its own. */
  readonly refresh?: true;
}

/** Everything that is known of one package. */
export interface PackageInfo {
  readonly ecosystem: PackageEcosystem;
  /** Canonical name. */
  readonly name: string;
  /** As the project writes it, where its registry takes several spellings for one; undefined: so. */
  readonly displayName?: string;
  /** Package URL without a version, `pkg:npm/%40scope/name`; null for a name that has none. */
  readonly purl: string | null;
  readonly existence: PackageExistence;
  /** Of a name that is not found: one that its registry has, and that may be meant. */
  readonly otherSpelling?: string;
  /** Newest first by the ecosystem's own order; empty when the registry could not be asked. */
  readonly versions: readonly PackageVersionFacts[];
  /**
   * The version that is assessed, as the registry spells it; as it was asked
   * for when the registry does not have it; null when there is none.
   */
  readonly version: string | null;
  /**
   * Whether the registry has the version that was asked for; false also where no
   * version fits the range or tag. Null: none was asked for, one fits, or the
   * registry could not be asked.
   */
  readonly versionFound: boolean | null;
  /** Reason for which no version was chosen although some may fit, as the end of a sentence. */
  readonly versionUndecided?: string;
  /** The newest stable version that was not withdrawn (npm: the tag `latest`); the newest of all without a stable one. */
  readonly latestVersion: string | null;
  readonly latestReleasedAt: number | null;
  /** Whether a newer stable release than `latestVersion` was yanked or retracted. */
  readonly latestYanked: boolean | null;
  /** When a stable version that was not withdrawn last came out, whatever its number. */
  readonly newestReleaseAt: number | null;
  /** Mark on the package as a whole; undefined: none is known. */
  readonly status?: RegistryPackageStatus;
  readonly repository: RepositoryFacts | null;
  readonly maintainersCount: number | null;
  readonly dependentsCount: number | null;
  /** Of the assessed version where that is told, else of the latest. */
  readonly license: string | null;
  /** The most severe first; null when no source could be asked. */
  readonly advisories: readonly AdvisoryFacts[] | null;
  readonly notices: readonly InformationalAdvisory[];
  /** Best first; gathered facts have only what the registry was found to have. */
  readonly replacements: readonly PackageReplacementCandidate[];
  /** An entry for every source asked. */
  readonly evidence: readonly DataSourceEvidence[];
}

export interface FactsGatheringOptions {
  /**
   * `verdict`: what a verdict needs. `all`: maintainers and dependents too,
   * which cost some registries further requests.
   */
  readonly detail: "verdict" | "all";
  readonly signal?: AbortSignal;
}

/** Receives a package with the index of its reference. What it returns should not have all versions in it. */
export type PackageInfoTransformer<Result> = (
  info: PackageInfo,
  index: number,
) => Result | Promise<Result>;

/** Gathers what is known of packages; advisories and repositories are asked for all of them at once. */
export interface PackageFactsGatherer {
  /**
   * One result for each reference, in their order. Never rejects for a source
   * that fails (that is evidence), nor for a name that no registry could have
   * (`not_found`); rejects when the signal aborts.
   */
  gather(
    references: readonly PackageReference[],
    options: FactsGatheringOptions,
  ): Promise<readonly PackageInfo[]>;
  /**
   * Like `gather`, with what `use` makes of each package as the results. Packages with many
   * versions are gathered one after the other, so that not all of them are in memory at once.
   */
  gatherEach<Result>(
    references: readonly PackageReference[],
    options: FactsGatheringOptions,
    use: PackageInfoTransformer<Result>,
  ): Promise<readonly Result[]>;
}
