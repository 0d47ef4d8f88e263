import type { PackageRegistry, PackageRegistryResult } from "../ecosystem/registry.ts";
import { sortUniqueVersions } from "../ecosystem/sort-versions.ts";
import type { PackageVersionOrder } from "../ecosystem/version-order.ts";
import type {
  PackageDeprecationNotice,
  PackageExistence,
  PublishedVersions,
  SelectedOrUndecidedVersion,
  PackageVersionFacts,
  Ecosystem,
} from "../facts.ts";
import type { EcosystemsPackage } from "../source/ecosystems.ts";
import type { DepsdevPackage } from "../source/depsdev.ts";

/** What is known of a package's versions, gaps of its registry filled by others. */
export interface CombinedPublishedVersions extends PublishedVersions {
  readonly existence: PackageExistence;
  readonly latestReleasedAt: number | null;
  readonly latestYanked: boolean | null;
  readonly newestReleaseAt: number | null;
  /** The registry listed the versions: what it does not list is not there. */
  readonly isComplete: boolean;
  /** Finds a version that can be had, by any of its spellings. */
  readonly find: (version: string) => PackageVersionFacts | undefined;
}

/** See `PackageInfo.version`, `versionFound` and `versionUndecided`. */
export interface ChosenPackageVersion {
  readonly version: string | null;
  readonly found: boolean | null;
  readonly undecided?: string;
}

/** What others than the registry know; undefined: not asked, not answered or not known. */
export interface FallbackPackageData {
  readonly indexed: DepsdevPackage | undefined;
  readonly aggregated: EcosystemsPackage | undefined;
  /** The registry repeats another, and may leave out what that one says. */
  readonly isMirror: boolean;
}

/** Combines them. The registry's word holds where it has said anything. */
export function combinePublishedVersions(
  registry: PackageRegistry,
  reading: PackageRegistryResult,
  fallback: FallbackPackageData,
): CombinedPublishedVersions {
  const versions = allVersions(registry.order, reading, fallback);
  const latest = latestOf(versions, reading.latestTag);
  const released = versions.filter((it) => it.stable && it.withdrawal === undefined);
  const isKnown = versions.length > 0;
  return {
    existence: existenceOf(reading, fallback),
    versions,
    tags: reading.tags,
    latestVersion: latest?.version ?? null,
    latestReleasedAt: latest?.releasedAt ?? null,
    latestYanked:
      isKnown && reading.existence !== "undetermined" ? isYanked(versions, latest) : null,
    newestReleaseAt: newest(released) ?? null,
    isComplete: reading.versions.length > 0,
    find: versionFinder(registry.order, versions),
  };
}

/** What the aggregator calls packages that their registry has taken down. */
const removedWords = new Set(["removed", "unpublished", "quarantined"]);

function existenceOf(
  reading: PackageRegistryResult,
  { indexed, aggregated }: FallbackPackageData,
): PackageExistence {
  const isKnownElsewhere = indexed !== undefined || aggregated !== undefined;
  switch (reading.existence) {
    case "not_found":
      if (removedWords.has(aggregated?.status ?? "")) return "removed";
      // Taken down just now, or a mirror that lacks it: neither is certain.
      return isKnownElsewhere ? "undetermined" : "not_found";
    case "undetermined":
      return isKnownElsewhere ? "found" : "undetermined";
    case "found":
    case "removed":
      return reading.existence;
  }
}

function allVersions(
  order: PackageVersionOrder,
  reading: PackageRegistryResult,
  { indexed, aggregated, isMirror }: FallbackPackageData,
): readonly PackageVersionFacts[] {
  const others = [...(indexed?.versions ?? []), ...aggregatedVersions(order, aggregated)];
  if (reading.versions.length > 0) {
    const dated = withDates(order, reading.versions, others);
    return isMirror ? addWitness(order, dated, indexed?.versions ?? []) : dated;
  }
  // What the registry does not have (any more) cannot be had, whoever remembers it.
  return reading.existence === "undetermined" ? sortUniqueVersions(order, others) : [];
}

function aggregatedVersions(
  order: PackageVersionOrder,
  aggregated: EcosystemsPackage | undefined,
): readonly PackageVersionFacts[] {
  const version = aggregated?.latestVersion ?? null;
  if (version === null) return [];
  const releasedAt = aggregated?.latestReleasedAt ?? null;
  return [{ version, stable: order.isStable(version), releasedAt }];
}

function withDates(
  order: PackageVersionOrder,
  versions: readonly PackageVersionFacts[],
  others: readonly PackageVersionFacts[],
): readonly PackageVersionFacts[] {
  if (others.length === 0 || versions.every(({ releasedAt }) => releasedAt !== null))
    return versions;
  const dates = new Map<string, number>();
  for (const { version, releasedAt } of others) {
    const key = order.key(version);
    if (releasedAt !== null && !dates.has(key)) dates.set(key, releasedAt);
  }
  return versions.map((facts) => ({
    ...facts,
    releasedAt: facts.releasedAt ?? dates.get(order.key(facts.version)) ?? null,
  }));
}

/** What the index of the public registry says beside a mirror: marks that it left out, and earlier dates. */
function addWitness(
  order: PackageVersionOrder,
  versions: readonly PackageVersionFacts[],
  others: readonly PackageVersionFacts[],
): readonly PackageVersionFacts[] {
  if (others.length === 0) return versions;
  const known = new Map(others.map((facts) => [order.key(facts.version), facts]));
  return versions.map((facts) => {
    const other = known.get(order.key(facts.version));
    if (other === undefined) return facts;
    const releasedAt = earlier(facts.releasedAt, other.releasedAt);
    const mark = facts.deprecation ?? (other.deprecation && witness(other.deprecation));
    return { ...facts, releasedAt, ...(mark !== undefined && { deprecation: mark }) };
  });
}

function witness(mark: PackageDeprecationNotice): PackageDeprecationNotice {
  return { ...mark, source: "depsdev" };
}

function earlier(own: number | null, other: number | null): number | null {
  return own === null || other === null ? (own ?? other) : Math.min(own, other);
}

/**
 * The newest stable version that was not withdrawn; where the registry has a
 * word of its own for it, that one. Without a stable one the newest that there
 * is; where all were withdrawn, the newest of these.
 */
function latestOf(
  versions: readonly PackageVersionFacts[],
  tag: string | undefined,
): PackageVersionFacts | undefined {
  const live = versions.filter(({ withdrawal }) => withdrawal === undefined);
  const tagged = live.find(({ version }) => version === tag);
  if (tagged?.stable === true) return tagged;
  const had = versions.filter(({ withdrawal }) => withdrawal?.kind !== "removed");
  return (
    live.find(({ stable }) => stable) ??
    tagged ??
    live[0] ??
    had.find(({ stable }) => stable) ??
    had[0]
  );
}

/** Whether a stable version above the latest, and not older than it, was withdrawn; or the latest itself was. */
function isYanked(
  versions: readonly PackageVersionFacts[],
  latest: PackageVersionFacts | undefined,
): boolean {
  if (latest === undefined) return versions.length > 0;
  if (isTakenBack(latest)) return true;
  const newer = versions.slice(0, versions.indexOf(latest));
  return newer.some(
    (facts) =>
      facts.stable &&
      isTakenBack(facts) &&
      (facts.releasedAt === null ||
        latest.releasedAt === null ||
        facts.releasedAt >= latest.releasedAt),
  );
}

/** Unlisting hides a version; it takes nothing back. */
function isTakenBack({ withdrawal }: PackageVersionFacts): boolean {
  return withdrawal !== undefined && withdrawal.kind !== "unlisted";
}

function newest(versions: readonly PackageVersionFacts[]): number | undefined {
  return versions.reduce<number | undefined>(
    (found, { releasedAt }) =>
      releasedAt !== null && releasedAt > (found ?? 0) ? releasedAt : found,
    undefined,
  );
}

/**
 * Searches the list at each call, because an index of it would need more memory than the list.
 * Several parts of one answer ask for the same version, so the last result is kept.
 */
function versionFinder(
  order: PackageVersionOrder,
  versions: readonly PackageVersionFacts[],
): CombinedPublishedVersions["find"] {
  let last:
    | { readonly version: string; readonly facts: PackageVersionFacts | undefined }
    | undefined;
  return (version) => {
    if (last?.version !== version) last = { version, facts: search(order, versions, version) };
    return last.facts;
  };
}

/** Prefers the same spelling. Reading every version to compare it takes far longer. */
function search(
  order: PackageVersionOrder,
  versions: readonly PackageVersionFacts[],
  version: string,
): PackageVersionFacts | undefined {
  const present = versions.filter(({ withdrawal }) => withdrawal?.kind !== "removed");
  const same = present.find((facts) => facts.version === version);
  if (same !== undefined) return same;
  const key = order.key(version);
  return present.find((facts) => order.key(facts.version) === key);
}

/** The version of an exact request, found or not as far as the published versions are known. */
export function checkExactVersionIsPublished(
  ecosystem: Ecosystem,
  version: string,
  published: CombinedPublishedVersions,
): ChosenPackageVersion {
  const facts = published.find(version);
  if (facts !== undefined) return { version: facts.version, found: true };
  // Go names a commit without a tag by such a version, which no list has.
  if (ecosystem === "go" && goPseudoVersionPattern.test(version)) return { version, found: null };
  const isKnown = published.isComplete || published.existence === "removed";
  return { version, found: isKnown ? false : null };
}

const goPseudoVersionPattern =
  /^v\d+\.\d+\.\d+-(?:[\w.-]+\.)?\d{14}-[0-9a-f]{12}(?:\+incompatible)?$/;

/** The version that a range or tag selects. */
export function toChosenPackageVersion(
  chosen: SelectedOrUndecidedVersion,
  { isComplete }: CombinedPublishedVersions,
): ChosenPackageVersion {
  if (chosen === undefined) return { version: null, found: isComplete ? false : null };
  if (typeof chosen === "string") return { version: chosen, found: null };
  return { version: null, found: null, undecided: chosen.undecided };
}

/**
 * A version that was asked for is looked up although the registry could not be
 * asked or does not have it: it may have taken it away for what it does.
 */
export function canLookUpVersionAdvisories(
  { version }: ChosenPackageVersion,
  { existence }: CombinedPublishedVersions,
): boolean {
  return version !== null || isGone(existence);
}

/**
 * Whether the registry has no such package, or not any more. Its record of malware may still be
 * published, whatever version was asked for.
 */
function isGone(existence: PackageExistence): boolean {
  return existence === "not_found" || existence === "removed";
}
