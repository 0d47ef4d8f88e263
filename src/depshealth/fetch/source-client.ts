import type { Clock } from "../../platform/clock.ts";
import type { DataSourceEvidence } from "../facts.ts";
import type { DataSourceDocumentCache } from "./document-cache.ts";
import {
  fetchDataSourceDocument,
  type DataSourceHttpRequest,
  type DataSourceFetchDependencies,
} from "./fetch-document.ts";
import {
  defaultDataSourceCacheLifetimes,
  type DocumentCacheLifetimes,
  type DataSourceDocumentLoadResult,
  type DataSourceResult,
} from "./outcome.ts";
import type { DataSourceDocumentParser } from "./read-document.ts";
import type { DataSourceRequestThrottle } from "./source-throttle.ts";
import { encodeUrlComponent } from "./url-component.ts";

/** Where a source is asked. */
export interface DataSourceEndpoint {
  /** Without a slash at its end. */
  readonly base: string;
  /** Sent with every request, an `authorization` for instance. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface DataSourceClientDependencies extends DataSourceFetchDependencies {
  readonly cache: DataSourceDocumentCache;
  /** Times the waits between requests; monotonic in the server. */
  readonly throttleClock: Clock;
}

/** A document that is asked for by its path. */
export interface PackageDataSourceDocumentRequest<Document> {
  /** Below the base address, made by `pathOf`, or a whole address that the source gave. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly read: DataSourceDocumentParser<Document>;
  /** Names what is read and how; raised when the reader changes, so that no older reading is used. */
  readonly result: string;
  readonly lifetimes?: DocumentCacheLifetimes;
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

/** Things that are asked for together in one request. */
export interface DataSourceBatchQuery<Item, Document> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly result: string;
  readonly lifetimes?: DocumentCacheLifetimes;
  /** At most so many in one request. */
  readonly batchSize: number;
  /** What 404 means: that there is nothing of all that was asked; else a failure. */
  readonly isOptional?: true;
  /** One request; its document has a result for each item, in their order. */
  readonly request: (items: readonly Item[]) => {
    readonly path: string;
    readonly body: unknown;
    readonly read: DataSourceDocumentParser<readonly DataSourceDocumentLoadResult<Document>[]>;
    readonly maxBytes?: number;
  };
}

/** What the URL parser reads as something else than it looks: white space, backslashes, dots as a segment. */
// eslint-disable-next-line no-control-regex
const otherwiseRead = /[\s\\\u0000-\u001f]|\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

/** Asks one source, politely and through the cache. */
export class DataSourceClient {
  /** As evidence names it. */
  readonly source: string;
  readonly #address: DataSourceEndpoint;
  readonly #gate: DataSourceRequestThrottle;
  readonly #dependencies: DataSourceClientDependencies;

  constructor(
    source: string,
    address: DataSourceEndpoint,
    gate: DataSourceRequestThrottle,
    dependencies: DataSourceClientDependencies,
  ) {
    this.source = source;
    this.#address = address;
    this.#gate = gate;
    this.#dependencies = dependencies;
  }

  get<Document>(
    ask: PackageDataSourceDocumentRequest<Document>,
  ): Promise<DataSourceResult<Document>> {
    const address = ask.path.startsWith("/") ? this.#address.base + ask.path : ask.path;
    const [outcome] = this.#dependencies.cache.getMany<Document>(
      [storableKey(`${ask.result} ${address}`)],
      ask.lifetimes ?? defaultDataSourceCacheLifetimes,
      async ([wanted]) => [await this.#exchange(address, ask, wanted?.validators)],
    );
    return outcome ?? Promise.reject(new Error("The cache gave no outcome."));
  }

  getMany<Item, Document>(
    ask: DataSourceBatchQuery<Item, Document>,
  ): Promise<DataSourceResult<Document>>[] {
    const keys = ask.items.map((item) => this.#batchKey(ask, item));
    const itemOf = new Map(keys.map((key, index) => [key, ask.items[index] as Item]));
    return this.#dependencies.cache.getMany<Document>(
      keys,
      ask.lifetimes ?? defaultDataSourceCacheLifetimes,
      async (wanted) => {
        const items = wanted.map(({ key }) => itemOf.get(key) as Item);
        const parts = await Promise.all(
          chunksOf(items, ask.batchSize).map((chunk) => this.#loadBatch(ask, chunk)),
        );
        return parts.flat();
      },
    );
  }

  /** What evidence says of an outcome: what was heard, or what failed, or both. */
  evidence(
    kind: DataSourceEvidence["kind"],
    outcome: DataSourceResult<unknown>,
  ): readonly DataSourceEvidence[] {
    return toDataSourceEvidence(this.source, kind, outcome);
  }

  #batchKey<Item, Document>(ask: DataSourceBatchQuery<Item, Document>, item: Item): string {
    return storableKey(`${ask.result} ${this.#address.base} ${ask.keyOf(item)}`);
  }

  async #loadBatch<Item, Document>(
    ask: DataSourceBatchQuery<Item, Document>,
    items: readonly Item[],
  ): Promise<readonly DataSourceDocumentLoadResult<Document>[]> {
    const { path, ...request } = ask.request(items);
    const loaded = await this.#exchange(this.#address.base + path, request);
    if (loaded.kind === "document") return loaded.document;
    if (loaded.kind === "missing" && ask.isOptional === true) return items.map(() => loaded);
    const message = loaded.kind === "failed" ? loaded.message : "does not know what it was asked";
    return items.map(() => ({ kind: "failed", message }));
  }

  async #exchange<Document>(
    address: string,
    request: Omit<DataSourceHttpRequest<Document>, "url">,
    validators?: Parameters<typeof fetchDataSourceDocument>[3],
  ): Promise<DataSourceDocumentLoadResult<Document>> {
    const url = URL.parse(address);
    if (url === null || otherwiseRead.test(address)) {
      return { kind: "failed", message: "gave an address that cannot be asked" };
    }
    // What is meant for this address goes to no other that it may have named.
    const own = address.startsWith(`${this.#address.base}/`) ? this.#address.headers : {};
    const headers = { ...own, ...request.headers };
    return fetchDataSourceDocument(
      this.#dependencies,
      this.#gate,
      { ...request, url, headers },
      validators,
    );
  }
}

/**
 * A path of these segments, each escaped. Segments come from requests and from what sources said:
 * one that would mean another path makes a path that a `DataSourceClient` does not ask for.
 */
export function joinUrlPathSegments(...segments: readonly string[]): string {
  return segments.map((segment) => `/${encodeUrlComponent(segment) || "."}`).join("");
}

/** The database takes neither NUL nor half a surrogate pair, and one such key would fail the whole statement. */
function storableKey(key: string): string {
  return key.toWellFormed().replaceAll("\0", "\ufffd");
}

export function toDataSourceEvidence(
  source: string,
  kind: DataSourceEvidence["kind"],
  outcome: DataSourceResult<unknown>,
): readonly DataSourceEvidence[] {
  const { failure } = outcome;
  const failed: readonly DataSourceEvidence[] =
    failure === undefined
      ? []
      : [
          {
            source,
            kind,
            ok: false,
            observedAt: failure.at,
            error: `The source ${failure.message}.`,
            ...(outcome.state !== "failed" && { refresh: true as const }),
          },
        ];
  if (outcome.state === "failed") return failed;
  return [{ source, kind, ok: true, observedAt: outcome.observedAt }, ...failed];
}

function chunksOf<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  const chunks: (readonly Item[])[] = [];
  for (let start = 0; start < items.length; start += size) {
    chunks.push(items.slice(start, start + size));
  }
  return chunks;
}
