import { versionOrderByEcosystem } from "../ecosystem/version-order.ts";
import type { AdvisoryFacts, AffectedVersionRange, PackageInfo } from "../facts.ts";
import { hasIncompleteAdvisories } from "../verdict/activity-rules.ts";

/** Several parts of one answer ask for it. */
const results = new WeakMap<PackageInfo, { readonly version: string | undefined }>();

/**
 * Finds the lowest stable version above the assessed one that none of its advisories hits, as far
 * as their ranges and fixes tell. Returns undefined if none is known, or not all advisories are.
 */
export function findLowestFixedVersion(known: PackageInfo): string | undefined {
  const found = results.get(known) ?? { version: searchLowestFixedVersion(known) };
  results.set(known, found);
  return found.version;
}

function searchLowestFixedVersion(known: PackageInfo): string | undefined {
  const { advisories, version, versions } = known;
  if (advisories === null || advisories.length === 0 || version === null) return undefined;
  if (hasIncompleteAdvisories(known)) return undefined;
  const places = new VersionPlaces(known);
  const end = places.countAbove(version);
  const hits = new HitPlaces(end);
  const minimums = new Map<string | undefined, number>();
  for (const advisory of advisories) {
    const ranges = advisory.affectedRanges ?? [];
    // Ranges without the assessed version are of something else.
    if (ranges.some((range) => places.isInRange(version, range))) {
      for (const range of ranges) {
        const [from, to] = places.ofRange(range);
        hits.add(from, to);
      }
    } else if (!addFixes(advisory, version, { places, hits, minimums })) return undefined;
  }
  let deprecated: string | undefined;
  for (const place of hits.freePlaces()) {
    const facts = versions[place];
    if (facts?.stable !== true || facts.withdrawal !== undefined) continue;
    if (place >= (minimums.get(majorOf(facts.version)) ?? end)) continue;
    if (facts.deprecation === undefined) return facts.version;
    // If the publisher has marked all of them, one that is marked is better than the flaws.
    deprecated ??= facts.version;
  }
  return deprecated;
}

interface FixCollectors {
  readonly places: VersionPlaces;
  readonly hits: HitPlaces;
  /** Places that versions of a major version must be below, by that major version. */
  readonly minimums: Map<string | undefined, number>;
}

/**
 * Adds an advisory that has fixes alone. A version is fixed if one of the fixes is not above it,
 * and no fix of the same major version is above it. Fixes below the assessed version are of other
 * lines. Returns false if no fix is left.
 */
function addFixes(
  { fixedIn }: AdvisoryFacts,
  version: string,
  { places, hits, minimums }: FixCollectors,
): boolean {
  const end = places.countAbove(version);
  const fixes = fixedIn
    .filter((fix) => places.isAbove(fix, version))
    .map((fix) => ({ major: majorOf(fix), place: places.countFrom(fix) }));
  if (fixes.length === 0) return false;
  hits.add(
    fixes.reduce((highest, { place }) => Math.max(highest, place), 0),
    end,
  );
  for (const { major, place } of fixes) {
    minimums.set(major, Math.min(place, minimums.get(major) ?? place));
  }
  return true;
}

/** Finds places in the list of versions, newest first, by bisection: to read each version takes long. */
class VersionPlaces {
  readonly #known: PackageInfo;
  readonly #counts = new Map<string, number>();

  constructor(known: PackageInfo) {
    this.#known = known;
  }

  isInRange(version: string, { introduced, fixed, lastAffected }: AffectedVersionRange): boolean {
    if (introduced !== "0" && this.isAbove(introduced, version)) return false;
    if (fixed !== undefined) return this.isAbove(fixed, version);
    return lastAffected === undefined || !this.isAbove(version, lastAffected);
  }

  isAbove(version: string, other: string): boolean {
    return versionOrderByEcosystem[this.#known.ecosystem].compare(version, other) > 0;
  }

  /** Number of versions above a version. */
  countAbove(version: string): number {
    return this.#count(version, 0);
  }

  /** Number of versions that are not below a version. */
  countFrom(version: string): number {
    return this.#count(version, -1);
  }

  /** First place of a range, and the place behind its last. */
  ofRange({ introduced, fixed, lastAffected }: AffectedVersionRange): readonly [number, number] {
    const ofLast = lastAffected === undefined ? 0 : this.countAbove(lastAffected);
    const from = fixed === undefined ? ofLast : this.countFrom(fixed);
    const to = introduced === "0" ? this.#known.versions.length : this.countFrom(introduced);
    return [from, to];
  }

  #count(version: string, above: number): number {
    const key = `${above.toString()} ${version}`;
    const count = this.#counts.get(key) ?? this.#bisect(version, above);
    this.#counts.set(key, count);
    return count;
  }

  #bisect(version: string, above: number): number {
    const { versions, ecosystem } = this.#known;
    const { compare } = versionOrderByEcosystem[ecosystem];
    let [low, high] = [0, versions.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(versions[middle]?.version ?? "", version) > above) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Places below an end, and which of them advisories hit. */
class HitPlaces {
  /** How many ranges begin at each place, less those that end there. */
  readonly #changes: Int32Array;

  constructor(end: number) {
    this.#changes = new Int32Array(end + 1);
  }

  add(from: number, to: number): void {
    const end = this.#changes.length - 1;
    this.#change(Math.min(from, end), 1);
    this.#change(Math.min(to, end), -1);
  }

  /** Places that nothing hits, the last first. */
  freePlaces(): readonly number[] {
    const free: number[] = [];
    let depth = 0;
    for (const [place, change] of this.#changes.subarray(0, -1).entries()) {
      depth += change;
      if (depth === 0) free.push(place);
    }
    return free.toReversed();
  }

  #change(place: number, by: number): void {
    this.#changes[place] = (this.#changes[place] ?? 0) + by;
  }
}

function majorOf(version: string): string | undefined {
  return /\d+/.exec(version)?.[0];
}
