import type { EntityManager } from "@mikro-orm/postgresql";
import type { Clock } from "../platform/clock.ts";
import type { Secret } from "../platform/crypto/secret.ts";
import type { DatabaseChangeFeed } from "../platform/database/change-feed.ts";
import {
  ChangeFeedValueCache,
  type DatabaseChangeFeedHealth,
  type CacheMissLoader,
} from "../platform/database/change-feed-cache.ts";
import type { Dialer } from "../platform/dial/dialer.ts";
import { normalizeEndpointBaseUrl } from "../platform/endpoint/base-address.ts";
import { lowerCaseHeaders, type ExtraHeaders } from "../platform/endpoint/header-rules.ts";
import { chainMaybePromise, type MaybePromise } from "../platform/maybe-promise.ts";
import { upstreamPoolKey } from "./upstream-probe.ts";
import type { UpstreamSecretSealer } from "./upstream-secrets.ts";
import { CustomEndpointEntity, type CustomEndpoint } from "./upstream.entity.ts";
import type {
  CallableCustomEndpoint,
  ModelTokenLimits,
  UpstreamDialect,
} from "../domain/callable-endpoint.ts";

export interface CustomEndpointDirectoryDependencies {
  readonly fork: () => EntityManager;
  readonly feed: DatabaseChangeFeedHealth & Pick<DatabaseChangeFeed, "on">;
  readonly clock: Clock;
  readonly dialer: Pick<Dialer, "dropPool">;
  readonly secrets: UpstreamSecretSealer;
}

type Endpoints = ReadonlyMap<string, CallableCustomEndpoint>;

/**
 * Custom endpoints by account and slug, from memory on the warm path. Secrets
 * are opened at the first call of an endpoint and kept as `Secret` as long as
 * the entry.
 */
export class CustomEndpointDirectory {
  readonly #cache: ChangeFeedValueCache<Endpoints>;
  readonly #load: CacheMissLoader<Endpoints>;

  constructor(dependencies: CustomEndpointDirectoryDependencies) {
    const { feed, clock, dialer } = dependencies;
    this.#cache = new ChangeFeedValueCache({ feed, clock });
    this.#load = (accountId) => loadEndpoints(accountId, dependencies);
    feed.on("upstreams", ({ id, accountId }) => {
      this.#cache.drop(accountId);
      dialer.dropPool(upstreamPoolKey(id));
    });
  }

  /** Undefined: the account has no endpoint of that slug. Rejects with 503 without a database. */
  find(accountId: string, slug: string): MaybePromise<CallableCustomEndpoint | undefined> {
    return chainMaybePromise(this.#cache.get(accountId, this.#load), (endpoints) =>
      endpoints.get(slug),
    );
  }

  /** The account's endpoints, oldest first. */
  list(accountId: string): MaybePromise<readonly CallableCustomEndpoint[]> {
    return chainMaybePromise(this.#cache.get(accountId, this.#load), (endpoints) => [
      ...endpoints.values(),
    ]);
  }
}

async function loadEndpoints(
  accountId: string,
  { fork, secrets }: CustomEndpointDirectoryDependencies,
): Promise<Endpoints> {
  const rows = await fork().find(
    CustomEndpointEntity,
    { accountId, deletedAt: null },
    { orderBy: { createdAt: "asc", id: "asc" }, disableIdentityMap: true },
  );
  return new Map(rows.map((row) => [row.slug, new StoredEndpoint(row, secrets)]));
}

/** Opens its secrets when they are first asked for: one that cannot be opened fails alone. */
class StoredEndpoint implements CallableCustomEndpoint {
  readonly id: string;
  readonly accountId: string;
  readonly slug: string;
  readonly label: string;
  readonly dialect: UpstreamDialect;
  readonly baseUrl: URL;
  readonly models: readonly string[];
  readonly modelNames: Readonly<Record<string, string>>;
  readonly modelMeta: Readonly<Record<string, ModelTokenLimits>>;
  readonly modelCreated: Readonly<Record<string, number>>;
  readonly poolKey: string;
  readonly createdAt: number;
  readonly #row: Pick<CustomEndpoint, "id" | "apiKey" | "headers">;
  readonly #secrets: UpstreamSecretSealer;
  #apiKey: Secret | undefined;
  #headers: ExtraHeaders | undefined;

  constructor(row: CustomEndpoint, secrets: UpstreamSecretSealer) {
    this.id = row.id;
    this.accountId = row.accountId;
    this.slug = row.slug;
    this.label = row.label;
    this.dialect = row.dialect;
    this.baseUrl = normalizeEndpointBaseUrl(row.baseUrl);
    this.models = row.models;
    this.modelNames = row.modelNames;
    this.modelMeta = row.modelMeta;
    this.modelCreated = row.modelCreated;
    this.createdAt = row.createdAt.getTime();
    this.poolKey = upstreamPoolKey(row.id);
    this.#row = { id: row.id, apiKey: row.apiKey, headers: row.headers };
    this.#secrets = secrets;
  }

  get apiKey(): Secret {
    this.#apiKey ??= this.#secrets.openKey(this.#row);
    return this.#apiKey;
  }

  get headers(): ExtraHeaders {
    this.#headers ??= lowerCaseHeaders(this.#secrets.openHeaders(this.#row));
    return this.#headers;
  }
}
