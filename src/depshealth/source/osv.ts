import { truncateToOneLine } from "../fetch/source-text.ts";
import type {
  AdvisoryFacts,
  Ecosystem,
  DataSourceEvidence,
  InformationalAdvisory,
  PackageReplacementCandidate,
} from "../facts.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import {
  asArrayOrEmpty,
  asJsonObjectOrEmpty,
  asNonBlankString,
  isJsonObject,
} from "../../platform/json-value.ts";
import {
  getFetchedDocument,
  immutableDocumentCacheLifetimes,
  type DataSourceDocumentLoadResult,
  type DataSourceResult,
} from "../fetch/outcome.ts";
import { createJsonDocumentParser } from "../fetch/read-document.ts";
import { joinUrlPathSegments, type DataSourceClient } from "../fetch/source-client.ts";
import type { Clock } from "../../platform/clock.ts";
import { mergeAdvisories, selectStandingAdvisories } from "./merge-advisories.ts";
import { isMalwareAdvisoryId, osvAdvisoryParser, type AdvisoryRecord } from "./osv-advisory.ts";
import { appendAll } from "../../platform/append-all.ts";

/** A version of a package whose flaws are asked for. */
export interface AdvisorySubject {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  /** Further spellings of the name; advisories of all of them count. */
  readonly otherNames?: readonly string[];
  /** Null asks for the malware among all advisories of the package. */
  readonly version: string | null;
}

/** What is published about a version. The same object as long as nothing has changed. */
export interface AdvisoryLookupResult {
  /** Null if the source could not be asked, or not for all of them and none is known. */
  readonly advisories: readonly AdvisoryFacts[] | null;
  readonly notices: readonly InformationalAdvisory[];
  readonly replacements: readonly PackageReplacementCandidate[];
  readonly evidence: readonly DataSourceEvidence[];
}

/** A subject under one of its names, or a further page of its ids. */
interface PageSubject extends Omit<AdvisorySubject, "otherNames"> {
  readonly pageToken?: string;
}

/** Ids of advisories, and where there are more. */
interface IdPage {
  readonly ids: readonly AdvisoryId[];
  readonly next?: string;
  /** Some entries could not be read. */
  readonly isPartial?: true;
}

/** An id, and when what it names was last changed. */
interface AdvisoryId {
  readonly id: string;
  readonly modified: string;
}

/** More ids than any version has; of a longer list the rest is not read, and the source has failed. */
export const maxAdvisoryIds = 300;
const batchSize = 500;
/** Of one version; a longer list is a mistake. */
const maxPages = 10;

/** OSV: which advisories hit a version, asked for all at once, and each advisory by its id. */
export class OsvSource {
  readonly #client: DataSourceClient;
  readonly #derived: WeakMemo;
  readonly #cargoName: string;
  readonly #clock: Clock;

  constructor(client: DataSourceClient, derived: WeakMemo, cargoName: string, clock: Clock) {
    this.#clock = clock;
    this.#client = client;
    this.#derived = derived;
    this.#cargoName = cargoName;
  }

  /** One reading for each subject, in their order. */
  lookUp(subjects: readonly AdvisorySubject[]): readonly Promise<AdvisoryLookupResult>[] {
    const named = subjects.map(underEachName);
    const pages = this.#pages(named.flat());
    let start = 0;
    return named.map((names, index) => {
      const firsts = pages.slice(start, (start += names.length));
      return this.#result(subjects[index] as AdvisorySubject, names, firsts);
    });
  }

  #pages(items: readonly PageSubject[]): Promise<DataSourceResult<IdPage>>[] {
    return this.#client.getMany<PageSubject, IdPage>({
      items,
      keyOf: (subject) => JSON.stringify(this.#query(subject)),
      result: "osv.ids.4",
      batchSize,
      request: (asked) => this.#batch(asked),
    });
  }

  async #result(
    subject: AdvisorySubject,
    names: readonly PageSubject[],
    firsts: readonly Promise<DataSourceResult<IdPage>>[],
  ): Promise<AdvisoryLookupResult> {
    const lists = await Promise.all(
      firsts.map(async (first, index) => this.#allPages(names[index] as PageSubject, await first)),
    );
    const listed = maliciousFirst(lists.flat());
    const isWhole = subject.version === null;
    const ids = listed
      .filter(({ id }) => !isWhole || isMalwareAdvisoryId(id))
      .slice(0, maxAdvisoryIds);
    const records = await Promise.all(ids.map((id) => this.#record(id)));
    const spellings = JSON.stringify(names.map(({ name }) => name));
    const found = records.map(
      (outcome, index) => getFetchedDocument(outcome) ?? { id: ids[index]?.id ?? "" },
    );
    const standing = selectStandingAdvisories(found, this.#clock.now());
    // Time alone makes fewer of the same records stand.
    const variant = `osv ${subject.ecosystem} ${spellings} ${subject.version} ${standing.length}`;
    return this.#derived.get(variant, [...lists.flat(), ...records], () =>
      this.#combine(subject, lists, records, standing),
    );
  }

  async #allPages(
    subject: PageSubject,
    first: DataSourceResult<IdPage>,
  ): Promise<readonly DataSourceResult<IdPage>[]> {
    const pages = [first];
    for (;;) {
      const last = pages.at(-1);
      const pageToken = last === undefined ? undefined : getFetchedDocument(last)?.next;
      if (pageToken === undefined || pages.length >= maxPages) return pages;
      appendAll(pages, await Promise.all(this.#pages([{ ...subject, pageToken }])));
    }
  }

  #record({ id, modified }: AdvisoryId): Promise<DataSourceResult<AdvisoryRecord>> {
    return this.#client.get({
      path: `/v1${joinUrlPathSegments("vulns", id)}`,
      // What was read at that time stays true: a change has another time.
      result: `osv.advisory.5 ${modified}`,
      lifetimes: immutableDocumentCacheLifetimes,
      read: osvAdvisoryParser,
    });
  }

  #combine(
    subject: AdvisorySubject,
    lists: readonly (readonly DataSourceResult<IdPage>[])[],
    records: readonly DataSourceResult<AdvisoryRecord>[],
    standing: readonly AdvisoryRecord[],
  ): AdvisoryLookupResult {
    const pages = lists.flat();
    const merged = mergeAdvisories(standing, { ...subject, filedAs: this.#ecosystem(subject) });
    const isCut = hasMore(lists, subject.version === null ? undefined : records.length);
    const failure = [...pages, ...records.map(asListedRecord)].find(
      ({ state }) => state !== "found",
    );
    const first = pages.find(({ state }) => state === "found");
    const heard = isCut ? cutShort(first) : first;
    const evidence = [heard, failure]
      .filter((outcome) => outcome !== undefined)
      .flatMap((outcome) => this.#client.evidence("advisories", outcome));
    const isWhole = first !== undefined && failure === undefined && !isCut;
    // What is missing may be all of them, so that nothing found is no good news.
    const isKnown = isWhole || merged.advisories.length > 0;
    return { ...merged, advisories: isKnown ? merged.advisories : null, evidence };
  }

  #batch(items: readonly PageSubject[]) {
    return {
      path: "/v1/querybatch",
      body: { queries: items.map((item) => this.#query(item)) },
      read: createJsonDocumentParser(
        "whole",
        (picked): readonly DataSourceDocumentLoadResult<IdPage>[] => {
          const results = asArrayOrEmpty(asJsonObjectOrEmpty(picked)["results"]);
          return items.map((_, index) => idsOf(results[index]));
        },
      ),
    };
  }

  #query(subject: PageSubject) {
    const { name, version, ecosystem, pageToken } = subject;
    return {
      package: { name, ecosystem: this.#ecosystem(subject) },
      // Go's versions are filed without their `v`.
      ...(version !== null && {
        version: ecosystem === "go" ? version.replace(/^v/, "") : version,
      }),
      ...(pageToken !== undefined && { page_token: pageToken }),
    };
  }

  /** Crates are filed under the name of their registry. */
  #ecosystem({ ecosystem }: AdvisorySubject): string {
    return ecosystem === "cargo" ? this.#cargoName : filedAs[ecosystem];
  }
}

const filedAs: Readonly<Record<Exclude<Ecosystem, "cargo">, string>> = {
  npm: "npm",
  pypi: "PyPI",
  rubygems: "RubyGems",
  go: "Go",
  maven: "Maven",
  nuget: "NuGet",
  packagist: "Packagist",
};

/** The ids of all pages, each once, those of what was made to harm first: they are never cut off. */
function maliciousFirst(pages: readonly DataSourceResult<IdPage>[]): readonly AdvisoryId[] {
  const byId = new Map(pages.flatMap(listedIds).map((listed) => [listed.id, listed]));
  return [...byId.values()].toSorted(
    (left, right) => Number(isMalwareAdvisoryId(right.id)) - Number(isMalwareAdvisoryId(left.id)),
  );
}

function listedIds(page: DataSourceResult<IdPage>): readonly AdvisoryId[] {
  return getFetchedDocument(page)?.ids ?? [];
}

/** The subject under each of its names. */
function underEachName({ otherNames = [], ...subject }: AdvisorySubject): readonly PageSubject[] {
  return [subject, ...otherNames.map((name) => ({ ...subject, name }))];
}

/** Whether the source lists more than is read: further pages, further ids, or unreadable ones. */
function hasMore(
  lists: readonly (readonly DataSourceResult<IdPage>[])[],
  readCount: number | undefined,
): boolean {
  const hasNext = lists.some((pages) => getFetchedDocument(pages.at(-1))?.next !== undefined);
  const isPartial = lists.flat().some((page) => getFetchedDocument(page)?.isPartial === true);
  if (hasNext || isPartial || readCount === undefined) return hasNext || isPartial;
  return (
    new Set(
      lists
        .flat()
        .flatMap(listedIds)
        .map(({ id }) => id),
    ).size > readCount
  );
}

/** Returns a failure as evidence of a list that was cut, because the rest is not known. */
function cutShort(
  page: DataSourceResult<IdPage> | undefined,
): DataSourceResult<IdPage> | undefined {
  if (page?.state !== "found") return page;
  const message = "lists more advisories than are read";
  return { state: "failed", failure: { message, at: page.observedAt } };
}

/** Returns a record that is missing as a failure, because the source lists it. */
function asListedRecord(
  record: DataSourceResult<AdvisoryRecord>,
): DataSourceResult<AdvisoryRecord> {
  if (record.state !== "missing") return record;
  const message = "does not have an advisory that it lists";
  return { state: "failed", failure: { message, at: record.observedAt } };
}

/** An empty result is a version without advisories. Anything that cannot be read is not. */
function idsOf(result: unknown): DataSourceDocumentLoadResult<IdPage> {
  const { vulns, next_page_token: token = null } = asJsonObjectOrEmpty(result);
  const next = typeof token === "string" && token !== "" ? token : undefined;
  const isEmpty =
    isJsonObject(result) && Object.keys(result).every((key) => key === "next_page_token");
  const entries = isEmpty ? [] : vulns;
  if (!isJsonObject(result) || !Array.isArray(entries)) {
    return { kind: "failed", message: "gave no answer for this package" };
  }
  const ids = asArrayOrEmpty(entries)
    .map(asJsonObjectOrEmpty)
    .flatMap((entry) => {
      const id = truncateToOneLine(entry["id"]);
      return id === undefined ? [] : [{ id, modified: asNonBlankString(entry["modified"]) ?? "" }];
    });
  const hasUnreadableToken = token !== null && typeof token !== "string";
  const isPartial = ids.length < entries.length || hasUnreadableToken;
  if (isPartial && ids.length === 0) {
    return { kind: "failed", message: "lists advisories that cannot be read" };
  }
  return {
    kind: "document",
    document: { ids, ...(next !== undefined && { next }), ...(isPartial && { isPartial }) },
  };
}
