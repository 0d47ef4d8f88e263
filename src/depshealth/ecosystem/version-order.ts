import { compare as comparePep440, explain as explainPep440 } from "@renovatebot/pep440";
import semver from "semver";
import type { Ecosystem } from "../facts.ts";
import { compareTokens, tokensOf, type VersionToken } from "./version-tokens.ts";

/** How an ecosystem compares its versions. */
export interface VersionOrder {
  /** Equal for two spellings of one version. */
  readonly key: (version: string) => string;
  readonly compare: (left: string, right: string) => number;
  readonly isStable: (version: string) => boolean;
}

/** Words that make a version a pre-release, lowest first, for ecosystems that order words. */
const preReleaseWords = [
  "dev",
  "snapshot",
  "preview",
  "pre",
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

const semantic: VersionOrder = {
  key: (version) => semver.parse(version, { loose: true })?.version ?? version.trim(),
  compare: compareSemantic,
  isStable: (version) => semver.parse(version, { loose: true })?.prerelease.length === 0,
};

const go: VersionOrder = {
  // `+incompatible` is part of the version's name, not of its rank.
  key: (version) =>
    `v${version
      .trim()
      .replace(/^v/, "")
      .replace(/\+incompatible$/, "")}`,
  compare: compareSemantic,
  isStable: semantic.isStable,
};

const python: VersionOrder = {
  key: pythonKey,
  compare: (left, right) => {
    const [isLeft, isRight] = [isPython(left), isPython(right)];
    if (isLeft && isRight) return comparePep440(left, right);
    // What is no version by today's rules is older than all that are.
    return Number(isLeft) - Number(isRight) || compareText(left, right);
  },
  isStable: (version) => explainPep440(version)?.is_prerelease === false,
};

/** Any word makes a pre-release; words are in the order of the alphabet. */
const ruby = tokenOrder(() => -1);
/** Known words make a pre-release, others (`jre`, `p1`) qualify a release. */
const maven = tokenOrder(rankOfWord);
const nuget: VersionOrder = {
  ...ruby,
  isStable: (version) => !withoutBuild(version).includes("-"),
};

/** The order of each ecosystem. */
export const versionOrders: Readonly<Record<Ecosystem, VersionOrder>> = {
  npm: semantic,
  pypi: python,
  cargo: semantic,
  rubygems: ruby,
  go,
  maven,
  nuget,
  packagist: maven,
};

function compareSemantic(left: string, right: string): number {
  const [a, b] = [semver.parse(left, { loose: true }), semver.parse(right, { loose: true })];
  if (a !== null && b !== null) return semver.compareBuild(a, b);
  return Number(a !== null) - Number(b !== null) || compareText(left, right);
}

/** Below 0: before the release; 0: the release; above: after it. */
function rankOfWord(word: string): number {
  if (releaseWords.has(word)) return 0;
  const known = preReleaseWords.indexOf(word);
  return known === -1 ? 1 : known - preReleaseWords.length;
}

function tokenOrder(rank: (word: string) => number): VersionOrder {
  return {
    key: (version) => readTokens(version).join("."),
    compare: (left, right) => compareTokens(readTokens(left), readTokens(right), rank),
    isStable: (version) =>
      readTokens(version).every((token) => typeof token === "number" || rank(token) >= 0),
  };
}

function readTokens(version: string): readonly VersionToken[] {
  return tokensOf(withoutBuild(version));
}

function withoutBuild(version: string): string {
  return version.trim().replace(/\+.*$/, "");
}

function isPython(version: string): boolean {
  return explainPep440(version) !== null;
}

function pythonKey(version: string): string {
  const parts = explainPep440(version);
  if (parts === null) return version.trim().toLowerCase();
  const release = [...parts.release];
  while (release.length > 1 && release.at(-1) === 0) release.pop();
  const { epoch, pre, post, dev, local } = parts;
  return JSON.stringify([epoch, release, pre, post, dev, local]);
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
