import type {
  Ecosystem,
  SourceEvidence,
  PackageExistence,
  FactsGatheringOptions,
  RegistryPackageMark,
  ReplacementCandidate,
  VersionFacts,
} from "../facts.ts";
import type { AdvisoryRecord } from "../source/osv-advisory.ts";
import type { VersionOrder } from "./version-order.ts";

/** Where a package says that its source is; as it was written. */
export interface RepositoryLink {
  readonly url: string;
  /** Where in the repository; null: not said. */
  readonly directory: string | null;
}

/** What a registry said of a package. The same object as long as nothing has changed. */
export interface RegistryResult {
  /** `undetermined`: the registry could not be asked. */
  readonly existence: PackageExistence;
  /** Canonical name. */
  readonly name: string;
  /** See `PackageInfo.writtenName`. */
  readonly displayName?: string;
  /** Newest first. */
  readonly versions: readonly VersionFacts[];
  readonly tags: ReadonlyMap<string, string>;
  /** What the registry itself calls the latest; undefined: it has no such word. */
  readonly latestTag?: string;
  readonly status?: RegistryPackageMark;
  /** The first that is a repository counts. */
  readonly links: readonly RepositoryLink[];
  readonly maintainersCount: number | null;
  readonly dependentsCount: number | null;
  /** Of the latest version, where versions do not say it themselves. */
  readonly license?: string;
  /** Replacements of the package as a whole; those of one version are in its message. */
  readonly replacements: readonly ReplacementCandidate[];
  readonly evidence: readonly SourceEvidence[];
}

/** Advisories that a registry lists itself. */
export interface RegistryAdvisories {
  /** Undefined: it did not tell. */
  readonly records: readonly AdvisoryRecord[] | undefined;
  readonly evidence: readonly SourceEvidence[];
}

/** A package registry. */
export interface PackageRegistry {
  readonly ecosystem: Ecosystem;
  readonly order: VersionOrder;
  /** The name as the registry spells it, as far as rules tell; undefined: no package can have it. */
  canonicalName(name: string): string | undefined;
  /** Asks for a package by its canonical name. Never rejects. */
  read(name: string, options: RegistryDetailOptions): Promise<RegistryResult>;
  /** Asks for the advisories of a version. Undefined: the registry lists none of its own. */
  advisories?(name: string, version: string): Promise<RegistryAdvisories>;
}

export interface RegistryDetailOptions {
  /** As for `FactsGatheringOptions`; `existence`: only whether there is such a package, by one request where that tells. */
  readonly detail: FactsGatheringOptions["detail"] | "existence";
}

/** A reading that holds nothing but what became of it. */
export function createEmptyRegistryResult(
  name: string,
  existence: PackageExistence,
  evidence: readonly SourceEvidence[],
): RegistryResult {
  return {
    existence,
    name,
    versions: [],
    tags: new Map(),
    links: [],
    maintainersCount: null,
    dependentsCount: null,
    replacements: [],
    evidence,
  };
}
