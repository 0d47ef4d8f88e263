import { DataSourceDocumentError } from "../fetch/document-error.ts";
import { isUsableDataSourceIdentifier } from "../fetch/source-text.ts";
import type { PackageVersionFacts } from "../facts.ts";
import type { PackageVersionOrder } from "./version-order.ts";

/** More than any package has: what lists more is too large to be sorted while others wait. */
const mostVersions = 25_000;

/**
 * The list, of versions or of what holds one each, as a document gives it. Throws a
 * `DocumentError` when it is longer than 25,000: of a part nobody knows what is newest.
 */
export function assertVersionCountWithinLimit<Item>(listed: readonly Item[]): readonly Item[] {
  if (listed.length > mostVersions) throw new DataSourceDocumentError("too large");
  return listed;
}

/** Characters of what publishers say of all versions of one package, in their own words. */
const mostWords = 1024 * 1024;

/**
 * Newest first; each version once, the first of equal ones; without any that is no
 * `isUsableDataSourceIdentifier`. Where the publisher's words on all of them are over 1,048,576 characters,
 * each text is cut to its share of these.
 */
export function sortUniqueVersions(
  order: PackageVersionOrder,
  versions: readonly PackageVersionFacts[],
): readonly PackageVersionFacts[] {
  return order.newestFirst(boundWords(uniqueVersions(versions)), ({ version }) => version);
}

/** Does the same for a list of thousands of versions, and lets other work run in between. */
export function sortUniqueVersionsInBatches(
  order: PackageVersionOrder,
  versions: readonly PackageVersionFacts[],
): Promise<readonly PackageVersionFacts[]> {
  return order.newestFirstInBatches(boundWords(uniqueVersions(versions)), ({ version }) => version);
}

function uniqueVersions(versions: readonly PackageVersionFacts[]): readonly PackageVersionFacts[] {
  const once = new Map<string, PackageVersionFacts>();
  for (const facts of versions) {
    const { version } = facts;
    if (isUsableDataSourceIdentifier(version) && !once.has(version)) once.set(version, facts);
  }
  return [...once.values()];
}

function boundWords(versions: readonly PackageVersionFacts[]): readonly PackageVersionFacts[] {
  const texts = versions.flatMap(wordsOf);
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (characters <= mostWords) return versions;
  const share = Math.floor(mostWords / texts.length);
  return versions.map((facts) => ({
    ...facts,
    ...(facts.deprecation && {
      deprecation: { ...facts.deprecation, message: cut(facts.deprecation.message, share) },
    }),
    ...(facts.withdrawal && {
      withdrawal: { ...facts.withdrawal, reason: cut(facts.withdrawal.reason, share) },
    }),
  }));
}

function wordsOf({ deprecation, withdrawal }: PackageVersionFacts): readonly string[] {
  return [deprecation?.message, withdrawal?.reason].filter((text) => typeof text === "string");
}

function cut(text: string | null, length: number): string | null {
  return text === null || text.length <= length
    ? text
    : `${text.slice(0, Math.max(0, length - 1)).toWellFormed()}…`;
}
