import type { PackageRegistry, PackageRegistryResult } from "../ecosystem/registry.ts";
import type { FactsGatheringOptions, PackageReference } from "../facts.ts";
import type { DataSourceResult } from "../fetch/outcome.ts";
import type { DepsdevPackage } from "../source/depsdev.ts";
import type { EcosystemsPackage } from "../source/ecosystems.ts";
import type { AdvisorySubject } from "../source/osv.ts";
import type { RepositoryAddress } from "../source/repository-address.ts";
import {
  canLookUpVersionAdvisories,
  type ChosenPackageVersion,
  type CombinedPublishedVersions,
} from "./published.ts";
import type { VersionMemoryBudget } from "./version-budget.ts";

/** A reference whose registry was read. */
export interface PackageWithRegistryResult {
  readonly reference: PackageReference;
  readonly registry: PackageRegistry;
  readonly reading: PackageRegistryResult;
  readonly aggregated: DataSourceResult<EcosystemsPackage> | undefined;
  readonly indexed: DataSourceResult<DepsdevPackage> | undefined;
  readonly published: CombinedPublishedVersions;
  readonly version: ChosenPackageVersion;
  readonly address: RepositoryAddress | null;
  /** Spellings of the name under which advisories may be filed, with the registry's spelling first. */
  readonly names: readonly string[];
  /** Name in the registry if its versions have to be read again, because they need much memory. */
  readonly largeName?: string;
}

/** More spellings than any sound package has. */
const maxNames = 32;

/**
 * Lists the spellings of a package's name. The source of advisories compares names exactly. Most
 * registries ignore case, and each version of NuGet may have its own spelling. The spellings of the
 * registry, the caller and the chosen version come first.
 */
export function listAdvisoryLookupNames({
  reference,
  reading,
  published,
  version: { version },
}: Omit<PackageWithRegistryResult, "names">): readonly string[] {
  const { name, versions } = reading;
  // The source normalizes names of PyPI itself.
  const typed = reference.ecosystem === "pypi" ? name : reference.name;
  const chosen = version === null ? undefined : published.find(version);
  const others = versions.flatMap(({ publishedAs }) => publishedAs ?? []);
  const names = new Set([name, typed, chosen?.publishedAs ?? name, ...others]);
  return [...names].slice(0, maxNames);
}

/**
 * Whether the source of advisories can be asked. A name that no registry could have is not asked
 * for: it may be text that a source refuses, with all else in the query.
 */
export function canAskForAdvisories({
  registry,
  reading,
  version,
  published,
}: PackageWithRegistryResult): boolean {
  return (
    registry.canonicalName(reading.name) !== undefined &&
    canLookUpVersionAdvisories(version, published)
  );
}

/** Builds the subject of a query for advisories. */
export function buildAdvisoryQuerySubject({
  registry: { ecosystem },
  reading: { name },
  names,
  version: { version },
}: PackageWithRegistryResult): AdvisorySubject {
  const otherNames = names.filter((other) => other !== name);
  return { ecosystem, name, otherNames, version };
}

/** So many versions take some milliseconds. */
const manyVersions = 1000;

/** Whether working on the versions of a package delays others noticeably. */
export function hasManyPublishedVersions({ versions }: PackageRegistryResult): boolean {
  return versions.length >= manyVersions;
}

/** Reads a package. Returns undefined, and drops what was read, if its versions exceed the budget. */
export async function readRegistryPackageWithinMemory(
  budget: VersionMemoryBudget,
  registry: PackageRegistry,
  name: string,
  detail: FactsGatheringOptions["detail"],
): Promise<PackageRegistryResult | undefined> {
  const reading = await registry.read(name, { detail });
  return budget.take(reading.versions) ? reading : undefined;
}

/** A subject without its versions, which are read again at the end. */
export function dropPackageVersions(
  subject: PackageWithRegistryResult,
  largeName: string,
): PackageWithRegistryResult {
  const { reading, published } = subject;
  return {
    ...subject,
    reading: { ...reading, versions: [] },
    published: { ...published, versions: [], find: () => undefined },
    largeName,
  };
}
