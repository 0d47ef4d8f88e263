import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import type { DataSourceDocumentStore, StoredDocument } from "./document-store.ts";
import {
  staleIfErrorMs,
  type DocumentCacheLifetimes,
  type DataSourceDocumentLoadResult,
  type DataSourceResult,
  type HttpCacheValidators,
} from "./outcome.ts";
import { withTimeoutFallback } from "../../platform/with-timeout.ts";

/** A document that has to be loaded. */
export interface DocumentKeyWithValidators {
  readonly key: string;
  /** Of the copy at hand, to ask whether it has changed. */
  readonly validators: HttpCacheValidators | undefined;
}

/** Loads documents, one result for each in their order. */
export type DataSourceDocumentLoader<Document> = (
  wanted: readonly DocumentKeyWithValidators[],
) => Promise<readonly DataSourceDocumentLoadResult<Document>[]>;

/** What is remembered of a document. */
interface Entry {
  readonly outcome: Exclude<DataSourceResult<unknown>, { state: "failed" }>;
  readonly validators: HttpCacheValidators;
  readonly freshUntil: number;
  readonly staleUntil: number;
  readonly retainUntil: number;
  readonly size: number;
}

/** A document that one of several callers loads for all of them. */
interface Pending {
  readonly key: string;
  readonly known: Entry | undefined;
  readonly promise: Promise<DataSourceResult<unknown>>;
  readonly settle: (outcome: DataSourceResult<unknown>) => void;
}

export interface DataSourceDocumentCacheDependencies {
  readonly store: DataSourceDocumentStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Characters of JSON that are held in memory; 8 Mi if omitted. */
  readonly memoryCharacters?: number;
}

const defaultMemoryCharacters = 8 * 1024 * 1024;
/** A refresh that failed is not repeated for so long; the copy at hand serves. */
const retryMs = 20_000;
const overheadCharacters = 400;
const closeMs = 1000;

/**
 * What sources said, in memory and in the store. Each document is loaded once
 * for all who ask at the same time; one that is not fresh any more is given at
 * once while it is asked for again, and one that is too old for that still
 * serves, with the failure noted, when the source fails.
 */
export class DataSourceDocumentCache {
  readonly #dependencies: DataSourceDocumentCacheDependencies;
  readonly #memory: LRUCache<string, Entry>;
  readonly #pending = new Map<string, Pending>();
  #isClosed = false;

  constructor(dependencies: DataSourceDocumentCacheDependencies) {
    this.#dependencies = dependencies;
    this.#memory = new LRUCache({
      maxSize: dependencies.memoryCharacters ?? defaultMemoryCharacters,
      sizeCalculation: ({ size }) => size,
    });
  }

  /** The documents of these keys; those that have to be loaded are loaded together. Never rejects. */
  getMany<Document>(
    keys: readonly string[],
    lifetimes: DocumentCacheLifetimes,
    load: DataSourceDocumentLoader<Document>,
  ): Promise<DataSourceResult<Document>>[] {
    const now = this.#dependencies.clock.now();
    const mine: Pending[] = [];
    const outcomes = keys.map((key) => this.#lookUp(key, now, mine));
    if (mine.length > 0) void this.#settle(mine, lifetimes, load);
    return outcomes as Promise<DataSourceResult<Document>>[];
  }

  /**
   * Resolves when nothing is being loaded, or when what is has had a second.
   * What is loaded after that is not stored.
   */
  async close(): Promise<void> {
    const loading = [...this.#pending.values()].map(({ promise }) => promise);
    await withTimeoutFallback(Promise.all(loading), closeMs, undefined);
    this.#isClosed = true;
  }

  #lookUp(key: string, now: number, mine: Pending[]): Promise<DataSourceResult<unknown>> {
    const entry = this.#memory.get(key);
    if (entry !== undefined && now < entry.freshUntil) return Promise.resolve(entry.outcome);
    const pending = this.#pending.get(key) ?? this.#begin(key, entry, mine);
    if (entry !== undefined && now < entry.staleUntil) return Promise.resolve(entry.outcome);
    return pending.promise;
  }

  #begin(key: string, known: Entry | undefined, mine: Pending[]): Pending {
    const { promise, resolve: settle } = Promise.withResolvers<DataSourceResult<unknown>>();
    const pending = { key, known, promise, settle };
    this.#pending.set(key, pending);
    mine.push(pending);
    return pending;
  }

  async #settle<Document>(
    pendings: readonly Pending[],
    lifetimes: DocumentCacheLifetimes,
    load: DataSourceDocumentLoader<Document>,
  ): Promise<void> {
    try {
      const known = await this.#readStored(pendings, lifetimes);
      const now = this.#dependencies.clock.now();
      const unfresh = known.filter(({ pending, entry }) => !this.#serve(pending, entry, now));
      if (unfresh.length > 0) await this.#loadAll(unfresh, lifetimes, load);
    } catch (error) {
      this.#dependencies.log.error({ err: error }, "a document could not be loaded");
    } finally {
      for (const pending of pendings) {
        this.#pending.delete(pending.key);
        // Whoever waits still gets an answer when something of ours has failed.
        pending.settle(this.#failed("could not be asked"));
      }
    }
  }

  /** The newest entries that are known. The rows are dropped here: their texts may be large. */
  async #readStored(
    pendings: readonly Pending[],
    lifetimes: DocumentCacheLifetimes,
  ): Promise<readonly { readonly pending: Pending; readonly entry: Entry | undefined }[]> {
    const stored = await this.#dependencies.store.read(pendings.map(({ key }) => key));
    return pendings.map((pending) => ({
      pending,
      entry: this.#newest(pending, stored.get(pending.key), lifetimes),
    }));
  }

  /** Another process may have asked since. */
  #newest(
    { known }: Pending,
    row: StoredDocument | undefined,
    lifetimes: DocumentCacheLifetimes,
  ): Entry | undefined {
    if (row === undefined) return known;
    const isNewer = known === undefined || row.observedAt.getTime() > known.outcome.observedAt;
    return isNewer ? entryOf(row, lifetimes) : known;
  }

  /** Whether the entry is fresh. One that is not quite settles the caller, but is loaded anew. */
  #serve(pending: Pending, entry: Entry | undefined, now: number): boolean {
    if (entry === undefined) return false;
    if (entry !== pending.known) this.#memory.set(pending.key, entry);
    if (now < entry.staleUntil) pending.settle(entry.outcome);
    return now < entry.freshUntil;
  }

  async #loadAll<Document>(
    unfresh: readonly { readonly pending: Pending; readonly entry: Entry | undefined }[],
    lifetimes: DocumentCacheLifetimes,
    load: DataSourceDocumentLoader<Document>,
  ): Promise<void> {
    const loaded = await load(
      unfresh.map(({ pending, entry }) => ({ key: pending.key, validators: entry?.validators })),
    );
    unfresh.forEach(({ pending, entry }, index) => {
      const result = loaded[index] ?? { kind: "failed", message: "gave no answer" };
      pending.settle(this.#keep(pending.key, result, entry, lifetimes));
    });
  }

  #keep(
    key: string,
    loaded: DataSourceDocumentLoadResult<unknown>,
    before: Entry | undefined,
    lifetimes: DocumentCacheLifetimes,
  ): DataSourceResult<unknown> {
    if (loaded.kind === "failed") return this.#cacheFailure(key, loaded.message, before);
    if (loaded.kind === "unchanged" && before?.outcome.state !== "found") {
      return this.#failed("sent nothing");
    }
    const row = this.#row(key, loaded, before, lifetimes);
    const document = loaded.kind === "document" ? loaded.document : undefined;
    const entry = entryOf(row, lifetimes, document ?? foundIn(before));
    this.#memory.set(key, entry);
    if (!this.#isClosed) this.#dependencies.store.write(row);
    return entry.outcome;
  }

  #row(
    key: string,
    loaded: DataSourceDocumentLoadResult<unknown>,
    before: Entry | undefined,
    lifetimes: DocumentCacheLifetimes,
  ): StoredDocument {
    const now = this.#dependencies.clock.now();
    const fresh = loaded.kind === "missing" ? lifetimes.missingMs : lifetimes.freshMs;
    const kept = loaded.kind === "missing" ? fresh : fresh + lifetimes.staleMs + staleIfErrorMs;
    const validators = loaded.kind === "document" ? loaded.validators : before?.validators;
    const document = loaded.kind === "document" ? loaded.document : foundIn(before);
    return {
      id: key,
      document: loaded.kind === "missing" ? null : JSON.stringify(document),
      etag: validators?.etag ?? null,
      lastModified: validators?.lastModified ?? null,
      observedAt: new Date(now),
      freshUntil: new Date(now + fresh),
      keptUntil: new Date(now + kept),
    };
  }

  /**
   * The copy at hand serves a while longer. Once it is so old that it would be
   * waited for, the failure is given with it.
   */
  #cacheFailure(
    key: string,
    message: string,
    before: Entry | undefined,
  ): DataSourceResult<unknown> {
    const now = this.#dependencies.clock.now();
    if (before === undefined || now >= before.retainUntil) return this.#failed(message);
    const isRecent = now < before.staleUntil;
    const outcome = isRecent
      ? before.outcome
      : { ...before.outcome, failure: { message, at: now } };
    const entry = { ...before, outcome, freshUntil: now + retryMs };
    this.#memory.set(key, entry);
    return outcome;
  }

  #failed(message: string): DataSourceResult<never> {
    return { state: "failed", failure: { message, at: this.#dependencies.clock.now() } };
  }
}

function foundIn(entry: Entry | undefined): unknown {
  return entry?.outcome.state === "found" ? entry.outcome.document : undefined;
}

function entryOf(
  row: StoredDocument,
  lifetimes: DocumentCacheLifetimes,
  document?: unknown,
): Entry {
  const observedAt = row.observedAt.getTime();
  const freshUntil = row.freshUntil.getTime();
  const isMissing = row.document === null;
  return {
    outcome: isMissing
      ? { state: "missing", observedAt }
      : { state: "found", document: document ?? JSON.parse(row.document), observedAt },
    validators: {
      ...(row.etag !== null && { etag: row.etag }),
      ...(row.lastModified !== null && { lastModified: row.lastModified }),
    },
    freshUntil,
    staleUntil: isMissing ? freshUntil : freshUntil + lifetimes.staleMs,
    retainUntil: row.keptUntil.getTime(),
    size: (row.document?.length ?? 0) + overheadCharacters,
  };
}
