import { truncateToOneLine } from "../fetch/source-text.ts";
import type { PackageVersionFacts } from "../facts.ts";
import { asJsonObjectOrEmpty, isoDateToEpochMilliseconds } from "../../platform/json-value.ts";
import { wholeMembersProjection } from "../../platform/json-stream/json-shape.ts";
import { getFetchedDocument, type DataSourceResult } from "../fetch/outcome.ts";
import { createJsonDocumentParser, createTextDocumentParser } from "../fetch/read-document.ts";
import { joinUrlPathSegments, type DataSourceClient } from "../fetch/source-client.ts";
import { parseGoModWithdrawals, type GoModWithdrawals, type GoRetraction } from "./go-mod.ts";
import { assertVersionCountWithinLimit, sortUniqueVersions } from "./sort-versions.ts";
import { versionOrderByEcosystem } from "./version-order.ts";

/** A version, and when it was made. */
interface GoInfo {
  readonly version: string;
  readonly at: number | null;
}

/** What the module proxy said, for the versions and for the go.mod of the newest. */
export interface GoProxyResult {
  readonly list: DataSourceResult<readonly string[]>;
  readonly latest: DataSourceResult<GoInfo>;
  /** When the newest version was made, asked for where `@latest` does not tell it. */
  readonly info: DataSourceResult<GoInfo> | undefined;
  readonly mod: DataSourceResult<GoModWithdrawals> | undefined;
}

const { compare, isStable, newestFirst } = versionOrderByEcosystem.go;

/** Asks the proxy for a module's versions, and for the go.mod of the newest, which speaks for all. */
export async function fetchGoProxyResult(
  client: DataSourceClient,
  module: string,
): Promise<GoProxyResult> {
  const base = joinUrlPathSegments(...escape(module).split("/"));
  const [list, latest] = await Promise.all([
    client.get({ path: `${base}/@v/list`, result: "go.list.2", read: readList }),
    client.get({ path: `${base}/@latest`, result: "go.latest.2", read: readInfo }),
  ]);
  const known = getFetchedDocument(latest);
  const newest = newestOf(getFetchedDocument(list), known);
  if (newest === undefined) return { list, latest, info: undefined, mod: undefined };
  const isDated = known?.version === newest && known.at !== null;
  const [mod, info] = await Promise.all([
    fetchGoModWithdrawals(client, module, newest),
    isDated ? undefined : readVersionInfo(client, module, newest),
  ]);
  return { list, latest, info, mod };
}

/** Proxies that mirror files alone have no `@latest`, but this of every version. */
function readVersionInfo(
  client: DataSourceClient,
  module: string,
  version: string,
): Promise<DataSourceResult<GoInfo>> {
  const base = joinUrlPathSegments(...escape(module).split("/"));
  return client.get({
    path: `${base}/@v${joinUrlPathSegments(`${escape(version)}.info`)}`,
    result: "go.info.2",
    read: readInfo,
  });
}

/** The go.mod of a version. */
export function fetchGoModWithdrawals(
  client: DataSourceClient,
  module: string,
  version: string,
): Promise<DataSourceResult<GoModWithdrawals>> {
  const base = joinUrlPathSegments(...escape(module).split("/"));
  return client.get({
    path: `${base}/@v${joinUrlPathSegments(`${escape(version)}.mod`)}`,
    result: "go.mod.2",
    read: createTextDocumentParser(parseGoModWithdrawals),
  });
}

/** Versions that the proxy lists, or the one it calls the latest where none has a tag. */
export function listGoProxyVersions({
  list,
  latest,
  info,
  mod,
}: GoProxyResult): readonly PackageVersionFacts[] {
  const newest = getFetchedDocument(latest);
  const versions = getFetchedDocument(list) ?? [];
  const all = versions.length > 0 || newest === undefined ? versions : [newest.version];
  const dates = new Map([latest, info].map(getFetchedDocument).map((it) => [it?.version, it?.at]));
  const facts = all.map((version) => ({
    version,
    stable: isStable(version),
    releasedAt: dates.get(version) ?? null,
  }));
  return markRetractedVersions(
    sortUniqueVersions(versionOrderByEcosystem.go, facts),
    getFetchedDocument(mod)?.retractions ?? [],
  );
}

/**
 * Marks the versions that a go.mod takes back, with the reason of the first retraction that
 * names them. The versions come newest first, so that a range of them is found by its ends
 * and each is marked once: lists and go.mods are as long as strangers make them.
 */
export function markRetractedVersions(
  versions: readonly PackageVersionFacts[],
  retractions: readonly GoRetraction[],
): readonly PackageVersionFacts[] {
  if (retractions.length === 0) return versions;
  const marked = [...versions];
  const unmarked = new UnmarkedPlaces(versions.length);
  for (const { low, high, reason } of retractions) {
    const end = countBefore(versions, ({ version }) => compare(version, low) >= 0);
    const start = countBefore(versions, ({ version }) => compare(version, high) > 0);
    for (let place = unmarked.from(start); place < end; place = unmarked.from(place + 1)) {
      const facts = versions[place];
      if (facts === undefined) break;
      marked[place] = { ...facts, withdrawal: { kind: "retracted", reason } };
      unmarked.delete(place);
    }
  }
  return marked;
}

/** How many of the first items match, where none matches behind one that does not. */
function countBefore<Item>(items: readonly Item[], matches: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && matches(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Places of a list from which those that were deleted are skipped in next to no time. */
class UnmarkedPlaces {
  /** A later place for each that was deleted; the others have themselves. */
  readonly #next: number[];

  constructor(length: number) {
    this.#next = Array.from({ length: length + 1 }, (_, place) => place);
  }

  /** The first at or behind the place; the length of the list if there is none. */
  from(place: number): number {
    let at = place;
    for (let next = this.#next[at]; next !== undefined && next !== at; next = this.#next[at]) {
      this.#next[at] = this.#next[next] ?? next;
      at = next;
    }
    return at;
  }

  delete(place: number): void {
    this.#next[place] = place + 1;
  }
}

function newestOf(
  list: readonly string[] | undefined,
  latest: GoInfo | undefined,
): string | undefined {
  return list?.find(isStable) ?? latest?.version ?? list?.[0];
}

/** Newest first: once for all that ask for it. */
const readList = createTextDocumentParser((text) => {
  const listed = assertVersionCountWithinLimit(
    text.split(/\s+/).filter((line) => /^v\d/.test(line)),
  );
  return newestFirst(listed, (version) => version);
});

const readInfo = createJsonDocumentParser(
  wholeMembersProjection("Version", "Time"),
  (picked): GoInfo => {
    const info = asJsonObjectOrEmpty(picked);
    return {
      version: truncateToOneLine(info["Version"]) ?? "",
      at: isoDateToEpochMilliseconds(info["Time"]) ?? null,
    };
  },
);

/** File systems that ignore case must not mix modules up: `A` is written `!a`. */
function escape(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}
