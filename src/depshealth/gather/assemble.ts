import { lookupTable } from "../../platform/lookup-table.ts";
import { curatedEntry } from "../curated/entries.ts";
import type { Registry, RegistryReading } from "../ecosystem/registry.ts";
import type {
  Evidence,
  KnownPackage,
  PackageMark,
  PackageReference,
  ReplacementCandidate,
  RepositoryFacts,
} from "../facts.ts";
import type { Derived } from "../fetch/derived.ts";
import { documentOf, type FetchOutcome } from "../fetch/outcome.ts";
import type { SourceClient } from "../fetch/source-client.ts";
import type { Archival, IndexedPackage } from "../source/depsdev.ts";
import type { AggregatedPackage } from "../source/ecosystems.ts";
import type { AdvisoryReading } from "../source/osv.ts";
import { replacementIn } from "../source/replacement-text.ts";
import type { RepositoryAddress } from "../source/repository-address.ts";
import type { ChosenVersion, Published } from "./published.ts";
import type { RepositoryAnswer } from "./repositories.ts";

/** Everything that was heard of one package. */
export interface Parts {
  readonly reference: PackageReference;
  readonly registry: Registry;
  readonly reading: RegistryReading;
  readonly aggregated: FetchOutcome<AggregatedPackage> | undefined;
  readonly indexed: FetchOutcome<IndexedPackage> | undefined;
  readonly published: Published;
  readonly version: ChosenVersion;
  readonly address: RepositoryAddress | null;
  readonly purl: string;
  readonly advisories: AdvisoryReading | undefined;
  readonly repository: RepositoryAnswer | undefined;
  /** Asked for where nobody else could tell. */
  readonly archival: FetchOutcome<Archival> | undefined;
  readonly dependents: FetchOutcome<number> | undefined;
  readonly clients: {
    readonly ecosystems: SourceClient | undefined;
    readonly depsdev: SourceClient | undefined;
  };
}

/** Makes one package of what was heard; the same object as long as nothing has changed. */
export function assemble(derived: Derived, parts: Parts): KnownPackage {
  const { published, version, advisories, repository, archival, dependents } = parts;
  const sources = [published, advisories, repository?.outcome, archival, dependents];
  return derived.get(
    `package ${version.version} ${version.found}`,
    sources.filter((it) => it !== undefined),
    () => knownPackage(parts),
  );
}

function knownPackage(parts: Parts): KnownPackage {
  const { reading, registry, published, version, advisories, aggregated, dependents } = parts;
  const more = documentOf(aggregated);
  const mark = reading.mark ?? markElsewhere(parts);
  return {
    ecosystem: registry.ecosystem,
    name: reading.name,
    ...(reading.writtenName !== undefined && { writtenName: reading.writtenName }),
    purl: published.existence === "not_found" ? null : parts.purl,
    existence: published.existence,
    versions: published.versions,
    version: version.version,
    versionFound: version.found,
    latestVersion: published.latestVersion,
    latestReleasedAt: published.latestReleasedAt,
    latestYanked: published.latestYanked,
    newestReleaseAt: published.newestReleaseAt,
    ...(mark !== undefined && { mark }),
    repository: repositoryFacts(parts),
    maintainersCount: reading.maintainersCount ?? more?.maintainersCount ?? null,
    dependentsCount:
      more?.dependentsCount ?? reading.dependentsCount ?? documentOf(dependents) ?? null,
    license: licenseOf(parts),
    advisories: advisories?.advisories ?? null,
    notices: advisories?.notices ?? [],
    replacements: replacements(parts, mark),
    evidence: evidence(parts),
  };
}

const marksElsewhere = lookupTable<PackageMark["kind"]>({
  deprecated: "deprecated",
  abandoned: "deprecated",
  archived: "archived",
  removed: "removed",
  unpublished: "removed",
  quarantined: "removed",
});

/** The aggregator's word counts only where the registry could not be asked. */
function markElsewhere({ reading, aggregated }: Parts): PackageMark | undefined {
  if (reading.existence !== "undetermined") return undefined;
  const kind = marksElsewhere.get(documentOf(aggregated)?.status ?? "");
  return kind === undefined ? undefined : { kind, message: null };
}

function repositoryFacts({
  address,
  repository,
  aggregated,
  archival,
}: Parts): RepositoryFacts | null {
  if (address === null) return null;
  const { host, owner, name, directory } = address;
  const state = documentOf(repository?.outcome);
  const known = state ?? documentOf(aggregated);
  const fullName = state?.fullName ?? null;
  return {
    url: fullName === null ? address.url : `https://${host}/${fullName}`,
    host,
    ...(newNameOf(fullName) ?? { owner, name }),
    directory,
    archived: known?.archived ?? documentOf(archival)?.archived ?? null,
    lastPushAt: known?.lastPushAt ?? null,
  };
}

/** Of the assessed version, of the latest, or what the aggregator calls it. */
function licenseOf({ published, registry, version, reading, aggregated }: Parts): string | null {
  const told = (name: string | null) =>
    published.byKey.get(registry.order.key(name ?? ""))?.license;
  const own = told(version.version) ?? told(published.latestVersion) ?? reading.license;
  return own ?? documentOf(aggregated)?.license ?? null;
}

/** A renamed repository answers under its new name. */
function newNameOf(fullName: string | null) {
  const [, owner, name] = /^(.+)\/([^/]+)$/.exec(fullName ?? "") ?? [];
  return owner === undefined || name === undefined ? undefined : { owner, name };
}

function replacements(
  { reading, registry, published, version, advisories }: Parts,
  mark: PackageMark | undefined,
): readonly ReplacementCandidate[] {
  const assessed = published.byKey.get(registry.order.key(version.version ?? ""));
  const texts = [assessed?.deprecation?.message, mark?.kind === "deprecated" ? mark.message : null];
  const named = texts.flatMap((text) =>
    text === null || text === undefined
      ? []
      : (replacementIn(text, registry.ecosystem, reading.name) ?? []),
  );
  const candidates: readonly ReplacementCandidate[] = [
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

function curatedReplacement(ecosystem: string, name: string): readonly ReplacementCandidate[] {
  const replacement = curatedEntry(ecosystem, name)?.replacement;
  return replacement === undefined ? [] : [{ name: replacement, source: "curated" }];
}

function alternative(name: string | undefined): readonly string[] {
  return name === undefined ? [] : [name];
}

function evidence(parts: Parts): readonly Evidence[] {
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
function aggregatedKinds({ aggregated, repository }: Parts): readonly Evidence["kind"][] {
  const known = documentOf(aggregated);
  if (known === undefined) return ["metadata"];
  const gaveRepository = documentOf(repository?.outcome) === undefined && known.archived !== null;
  const kinds: Evidence["kind"][] = ["metadata"];
  if (known.dependentsCount !== null) kinds.push("dependents");
  if (gaveRepository) kinds.push("repository");
  return kinds;
}
