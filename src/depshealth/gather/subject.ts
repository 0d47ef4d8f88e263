import type { PackageRegistry, RegistryResult } from "../ecosystem/registry.ts";
import type { FactsGatheringOptions, PackageReference } from "../facts.ts";
import type { FetchOutcome } from "../fetch/outcome.ts";
import type { DepsdevPackage } from "../source/depsdev.ts";
import type { EcosystemsPackage } from "../source/ecosystems.ts";
import type { RepositoryAddress } from "../source/repository-address.ts";
import type { ChosenVersion, CombinedPublishedVersions } from "./published.ts";
import type { VersionMemoryBudget } from "./version-budget.ts";

/** A reference whose registry was read. */
export interface PackageWithRegistryReading {
  readonly reference: PackageReference;
  readonly registry: PackageRegistry;
  readonly reading: RegistryResult;
  readonly aggregated: FetchOutcome<EcosystemsPackage> | undefined;
  readonly indexed: FetchOutcome<DepsdevPackage> | undefined;
  readonly published: CombinedPublishedVersions;
  readonly version: ChosenVersion;
  readonly address: RepositoryAddress | null;
  /** Name in the registry if its versions have to be read again, because they need much memory. */
  readonly largeName?: string;
}

/** So many versions take some milliseconds. */
const manyVersions = 1000;

/** Whether working on the versions of a package delays others noticeably. */
export function hasManyVersions({ versions }: RegistryResult): boolean {
  return versions.length >= manyVersions;
}

/** Reads a package. Returns undefined, and drops what was read, if its versions exceed the budget. */
export async function readPackageIfWithinBudget(
  budget: VersionMemoryBudget,
  registry: PackageRegistry,
  name: string,
  detail: FactsGatheringOptions["detail"],
): Promise<RegistryResult | undefined> {
  const reading = await registry.read(name, { detail });
  return budget.take(reading.versions) ? reading : undefined;
}

/** A subject without its versions, which are read again at the end. */
export function withoutVersions(
  subject: PackageWithRegistryReading,
  largeName: string,
): PackageWithRegistryReading {
  const { reading, published } = subject;
  return {
    ...subject,
    reading: { ...reading, versions: [] },
    published: { ...published, versions: [], find: () => undefined },
    largeName,
  };
}
