import semver from "semver";
import type { Ecosystem } from "../facts.ts";
import { mapInBatches } from "./map-in-batches.ts";
import {
  comparePep440Versions,
  toPythonVersionKey,
  parsePythonVersionLeniently,
} from "./python-version.ts";
import { compareVersionTokens, tokenizeVersion, type VersionToken } from "./version-tokens.ts";

/** How an ecosystem compares its versions. */
export interface PackageVersionOrder {
  /** Equal for two spellings of one version. */
  readonly key: (version: string) => string;
  readonly compare: (left: string, right: string) => number;
  readonly isStable: (version: string) => boolean;
  /** The items, the one with the highest version first. Reads each version once. */
  readonly newestFirst: <Item>(
    items: readonly Item[],
    versionOf: (item: Item) => string,
  ) => readonly Item[];
  /** Does the same, and lets other work of the process run between batches of items. */
  readonly newestFirstInBatches: <Item>(
    items: readonly Item[],
    versionOf: (item: Item) => string,
  ) => Promise<readonly Item[]>;
}

/** Words that make a version a pre-release, lowest first, for ecosystems that order words. */
const preReleaseWords = [
  "dev",
  "nightly",
  "canary",
  "snapshot",
  "preview",
  "pre",
  "pr",
  "eap",
  "ea",
  "alpha",
  "a",
  "beta",
  "b",
  "milestone",
  "m",
  "rc",
  "cr",
  "c",
];
const releaseWords = new Set(["final", "ga", "release"]);

const semantic = orderOf({
  read: (text) => ({ text, parsed: semver.parse(text, { loose: true }) }),
  compare: (left, right) => {
    if (left.parsed !== null && right.parsed !== null) {
      return left.parsed.compare(right.parsed) || left.parsed.compareBuild(right.parsed);
    }
    // What is no version is older than all that are.
    const isVersion = Number(left.parsed !== null) - Number(right.parsed !== null);
    return isVersion || compareText(left.text, right.text);
  },
  key: (version) => semver.parse(version, { loose: true })?.version ?? version.trim(),
  isStable: (version) => semver.parse(version, { loose: true })?.prerelease.length === 0,
});

const go: PackageVersionOrder = {
  ...semantic,
  // `+incompatible` is part of the version's name, not of its rank.
  key: (version) => {
    const number = cut(version).trim().replace(/^v/, "");
    return `v${number.replace(/\+incompatible$/, "")}`;
  },
};

const python = orderOf({
  read: parsePythonVersionLeniently,
  compare: comparePep440Versions,
  key: toPythonVersionKey,
  isStable: (version) => parsePythonVersionLeniently(version).isStable,
});

/** Any word makes a pre-release; words are in the order of the alphabet. */
const ruby = tokenOrder(() => -1);
/** Known words make a pre-release, others (`jre`, `p1`) qualify a release. */
const maven = tokenOrder(rankOfWord);
const nuget: PackageVersionOrder = {
  ...ruby,
  isStable: (version) => !withoutBuild(version).includes("-"),
};

/** The order of each ecosystem. */
export const versionOrderByEcosystem: Readonly<Record<Ecosystem, PackageVersionOrder>> = {
  npm: semantic,
  pypi: python,
  cargo: semantic,
  rubygems: ruby,
  go,
  maven,
  nuget,
  packagist: maven,
};

/** Registries allow less; of a longer one the beginning is read. */
const longestVersion = 256;

function cut(version: string): string {
  return version.slice(0, longestVersion);
}

/** An order of versions that are read once and compared often. */
function orderOf<Read>({
  read: readWhole,
  compare,
  key,
  isStable,
}: Pick<PackageVersionOrder, "key" | "isStable"> & {
  readonly read: (version: string) => Read;
  readonly compare: (left: Read, right: Read) => number;
}): PackageVersionOrder {
  const read = (version: string): Read => readWhole(cut(version));
  const sort = <Item>(parsed: readonly { readonly item: Item; readonly version: Read }[]) =>
    parsed.toSorted((left, right) => compare(right.version, left.version)).map(({ item }) => item);
  return {
    key: (version) => key(cut(version)),
    isStable: (version) => isStable(cut(version)),
    compare: (left, right) => compare(read(left), read(right)),
    newestFirst: (items, versionOf) =>
      sort(items.map((item) => ({ item, version: read(versionOf(item)) }))),
    newestFirstInBatches: async (items, versionOf) =>
      sort(await mapInBatches(items, (item) => ({ item, version: read(versionOf(item)) }))),
  };
}

/** Below 0: before the release; 0: the release; above: after it. */
function rankOfWord(word: string): number {
  if (releaseWords.has(word)) return 0;
  const known = preReleaseWords.indexOf(word);
  return known === -1 ? 1 : known - preReleaseWords.length;
}

function tokenOrder(rank: (word: string) => number): PackageVersionOrder {
  return orderOf({
    read: readTokens,
    compare: (left, right) => compareVersionTokens(left, right, rank),
    key: keyOfTokens,
    isStable: (version) =>
      readTokens(version).every((token) => typeof token === "number" || rank(token) >= 0),
  });
}

/** A range is no spelling of a version, whatever its numbers are, and 2.0-1 is not 2.0.1. */
function keyOfTokens(version: string): string {
  const text = withoutBuild(version);
  if (/[^\w.-]/.test(text)) return text;
  return tokenizeVersion(text.replaceAll(/(?<=\d)-(?=\d)/g, ".dash.")).join(".");
}

function readTokens(version: string): readonly VersionToken[] {
  return tokenizeVersion(withoutBuild(version));
}

function withoutBuild(version: string): string {
  return version.split("+", 1).join().trim();
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
