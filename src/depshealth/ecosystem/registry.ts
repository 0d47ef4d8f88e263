import type {
  Ecosystem,
  DataSourceEvidence,
  PackageExistence,
  FactsGatheringOptions,
  RegistryPackageStatus,
  PackageReplacementCandidate,
  PackageVersionFacts,
} from "../facts.ts";
import type { AdvisoryRecord } from "../source/osv-advisory.ts";
import type { PackageVersionOrder } from "./version-order.ts";

/** Where a package says that its source is; as it was written. */
export interface PackageRepositoryLink {
  readonly url: string;
  /** Where in the repository; null: not said. */
  readonly directory: string | null;
}

/** What a registry said of a package. The same object as long as nothing has changed. */
export interface PackageRegistryResult {
  /** `undetermined`: the registry could not be asked. */
  readonly existence: PackageExistence;
  /** Canonical name. */
  readonly name: string;
  /** See `PackageInfo.writtenName`. */
  readonly displayName?: string;
  /** Newest first. */
  readonly versions: readonly PackageVersionFacts[];
  readonly tags: ReadonlyMap<string, string>;
  /** What the registry itself calls the latest; undefined: it has no such word. */
  readonly latestTag?: string;
  readonly status?: RegistryPackageStatus;
  /** The first that is a repository counts. */
  readonly links: readonly PackageRepositoryLink[];
  readonly maintainersCount: number | null;
  readonly dependentsCount: number | null;
  /** Of the latest version, where versions do not say it themselves. */
  readonly license?: string;
  /** Replacements of the package as a whole; those of one version are in its message. */
  readonly replacements: readonly PackageReplacementCandidate[];
  readonly evidence: readonly DataSourceEvidence[];
}

/** Advisories that a registry lists itself. */
export interface RegistryAdvisories {
  /** Undefined: it did not tell. */
  readonly records: readonly AdvisoryRecord[] | undefined;
  readonly evidence: readonly DataSourceEvidence[];
}

/** A package registry. */
export interface PackageRegistry {
  readonly ecosystem: Ecosystem;
  readonly order: PackageVersionOrder;
  /** The name as the registry spells it, as far as rules tell; undefined: no package can have it. */
  canonicalName(name: string): string | undefined;
  /** Asks for a package by its canonical name. Never rejects. */
  read(name: string, options: PackageRegistryReadOptions): Promise<PackageRegistryResult>;
  /** Asks for the advisories of a version. Undefined: the registry lists none of its own. */
  advisories?(name: string, version: string): Promise<RegistryAdvisories>;
}

export interface PackageRegistryReadOptions {
  /** As for `FactsGatheringOptions`; `existence`: only whether there is such a package, by one request where that tells. */
  readonly detail: FactsGatheringOptions["detail"] | "existence";
}

/** A reading that holds nothing but what became of it. */
export function createEmptyPackageRegistryResult(
  name: string,
  existence: PackageExistence,
  evidence: readonly DataSourceEvidence[],
): PackageRegistryResult {
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
