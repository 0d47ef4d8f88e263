import { recordToMap } from "../../platform/lookup-table.ts";
import { findCuratedPackageEntry } from "../curated/entries.ts";
import type { PackageRegistry, PackageRegistryResult } from "../ecosystem/registry.ts";
import type {
  DataSourceEvidence,
  PackageInfo,
  RegistryPackageStatus,
  PackageReference,
  PackageReplacementCandidate,
  RepositoryFacts,
} from "../facts.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import { getFetchedDocument, type DataSourceResult } from "../fetch/outcome.ts";
import type { DataSourceClient } from "../fetch/source-client.ts";
import type { RepositoryArchiveStatus, DepsdevPackage } from "../source/depsdev.ts";
import type { EcosystemsPackage } from "../source/ecosystems.ts";
import type { AdvisoryLookupResult } from "../source/osv.ts";
import { parseReplacementMessage } from "../source/parse-replacement.ts";
import type { RepositoryAddress } from "../source/repository-address.ts";
import type { ChosenPackageVersion, CombinedPublishedVersions } from "./published.ts";
import type { RepositoryLookupResult } from "./repositories.ts";

/** Everything that was heard of one package. */
export interface GatheredPackageParts {
  readonly reference: PackageReference;
  readonly registry: PackageRegistry;
  readonly reading: PackageRegistryResult;
  readonly aggregated: DataSourceResult<EcosystemsPackage> | undefined;
  readonly indexed: DataSourceResult<DepsdevPackage> | undefined;
  readonly published: CombinedPublishedVersions;
  readonly version: ChosenPackageVersion;
  readonly address: RepositoryAddress | null;
  readonly purl: string;
  readonly advisories: AdvisoryLookupResult | undefined;
  readonly repository: RepositoryLookupResult | undefined;
  /** Asked for where nobody else could tell. */
  readonly archival: DataSourceResult<RepositoryArchiveStatus> | undefined;
  readonly dependents: DataSourceResult<number> | undefined;
  readonly clients: {
    readonly ecosystems: DataSourceClient | undefined;
    readonly depsdev: DataSourceClient | undefined;
  };
}

/** Makes one package of what was heard; the same object as long as nothing has changed. */
export function assemblePackageInfo(derived: WeakMemo, parts: GatheredPackageParts): PackageInfo {
  const { published, version, advisories, repository, archival, dependents } = parts;
  const sources = [published, advisories, repository?.outcome, archival, dependents];
  return derived.get(
    `package ${parts.reading.name} ${version.version} ${version.found} ${version.undecided ?? ""}`,
    sources.filter((it) => it !== undefined),
    () => knownPackage(parts),
  );
}

function knownPackage(parts: GatheredPackageParts): PackageInfo {
  const { reading, registry, published, version, advisories, aggregated, dependents } = parts;
  const more = getFetchedDocument(aggregated);
  const mark = reading.status ?? otherStatus(parts);
  return {
    ecosystem: registry.ecosystem,
    name: reading.name,
    ...(reading.displayName !== undefined && { displayName: reading.displayName }),
    purl: published.existence === "not_found" ? null : parts.purl,
    existence: published.existence,
    versions: published.versions,
    version: version.version,
    versionFound: version.found,
    ...(version.undecided !== undefined && { versionUndecided: version.undecided }),
    latestVersion: published.latestVersion,
    latestReleasedAt: published.latestReleasedAt,
    latestYanked: published.latestYanked,
    newestReleaseAt: published.newestReleaseAt,
    ...(mark !== undefined && { status: mark }),
    repository: repositoryFacts(parts),
    maintainersCount: reading.maintainersCount ?? more?.maintainersCount ?? null,
    dependentsCount:
      more?.dependentsCount ?? reading.dependentsCount ?? getFetchedDocument(dependents) ?? null,
    license: licenseOf(parts),
    advisories: advisories?.advisories ?? null,
    notices: advisories?.notices ?? [],
    replacements: replacements(parts, mark),
    evidence: evidence(parts),
  };
}

const otherStatuses = recordToMap<RegistryPackageStatus["kind"]>({
  deprecated: "deprecated",
  abandoned: "deprecated",
  archived: "archived",
  removed: "removed",
  unpublished: "removed",
  quarantined: "removed",
});

/** The aggregator's word counts only where the registry could not be asked. */
function otherStatus({
  reading,
  aggregated,
}: GatheredPackageParts): RegistryPackageStatus | undefined {
  if (reading.existence !== "undetermined") return undefined;
  const kind = otherStatuses.get(getFetchedDocument(aggregated)?.status ?? "");
  return kind === undefined ? undefined : { kind, message: null };
}

function repositoryFacts({
  address,
  repository,
  aggregated,
  archival,
}: GatheredPackageParts): RepositoryFacts | null {
  if (address === null) return null;
  const { host, owner, name, directory } = address;
  const state = getFetchedDocument(repository?.outcome);
  const known = state ?? getFetchedDocument(aggregated);
  const fullName = state?.fullName ?? null;
  return {
    url: fullName === null ? address.url : `https://${host}/${fullName}`,
    host,
    ...(newNameOf(fullName) ?? { owner, name }),
    directory,
    archived: known?.archived ?? getFetchedDocument(archival)?.archived ?? null,
    lastPushAt: known?.lastPushAt ?? null,
  };
}

/** Of the assessed version, of the latest, or what the aggregator calls it. */
function licenseOf({
  published,
  version,
  reading,
  aggregated,
}: GatheredPackageParts): string | null {
  const told = (name: string | null) => (name === null ? undefined : published.find(name)?.license);
  const own = told(version.version) ?? told(published.latestVersion) ?? reading.license;
  return own ?? getFetchedDocument(aggregated)?.license ?? null;
}

/** A renamed repository answers under its new name. */
function newNameOf(fullName: string | null) {
  const [, owner, name] = /^(.+)\/([^/]+)$/.exec(fullName ?? "") ?? [];
  return owner === undefined || name === undefined ? undefined : { owner, name };
}

function replacements(
  { reading, registry, published, version, advisories }: GatheredPackageParts,
  mark: RegistryPackageStatus | undefined,
): readonly PackageReplacementCandidate[] {
  const assessed = version.version === null ? undefined : published.find(version.version);
  const texts = [assessed?.deprecation?.message, mark?.kind === "deprecated" ? mark.message : null];
  const named = texts.flatMap((text) =>
    text === null || text === undefined
      ? []
      : (parseReplacementMessage(text, registry.ecosystem, reading.name) ?? []),
  );
  const candidates: readonly PackageReplacementCandidate[] = [
    ...[...alternative(assessed?.deprecation?.alternative), ...named].map((name) => ({
      name,
      source: "registry" as const,
    })),
    ...reading.replacements,
    ...(advisories?.replacements ?? []),
    ...curatedReplacement(registry.ecosystem, reading.name),
  ];
  const known = new Set<string>();
  return candidates.filter(({ name }) => {
    const isNew = !known.has(name);
    known.add(name);
    return isNew;
  });
}

function curatedReplacement(
  ecosystem: string,
  name: string,
): readonly PackageReplacementCandidate[] {
  const replacement = findCuratedPackageEntry(ecosystem, name)?.replacement;
  return replacement === undefined ? [] : [{ name: replacement, source: "curated" }];
}

function alternative(name: string | undefined): readonly string[] {
  return name === undefined ? [] : [name];
}

function evidence(parts: GatheredPackageParts): readonly DataSourceEvidence[] {
  const { reading, aggregated, indexed, repository, archival, advisories, dependents, clients } =
    parts;
  const { ecosystems, depsdev } = clients;
  return [
    ...reading.evidence,
    ...(aggregated === undefined || ecosystems === undefined
      ? []
      : aggregatedKinds(parts).flatMap((kind) => ecosystems.evidence(kind, aggregated))),
    ...(indexed === undefined || depsdev === undefined
      ? []
      : depsdev.evidence("metadata", indexed)),
    ...(dependents === undefined || depsdev === undefined
      ? []
      : depsdev.evidence("dependents", dependents)),
    ...(repository?.evidence ?? []),
    ...(archival === undefined || depsdev === undefined
      ? []
      : depsdev.evidence("repository", archival)),
    ...(advisories?.evidence ?? []),
  ];
}

/** For what the aggregator's word was taken. */
function aggregatedKinds({
  aggregated,
  repository,
}: GatheredPackageParts): readonly DataSourceEvidence["kind"][] {
  const known = getFetchedDocument(aggregated);
  if (known === undefined) return ["metadata"];
  const gaveRepository =
    getFetchedDocument(repository?.outcome) === undefined && known.archived !== null;
  const kinds: DataSourceEvidence["kind"][] = ["metadata"];
  if (known.dependentsCount !== null) kinds.push("dependents");
  if (gaveRepository) kinds.push("repository");
  return kinds;
}
