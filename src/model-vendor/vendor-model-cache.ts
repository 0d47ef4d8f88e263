import type { Clock } from "../platform/clock.ts";
import type { Dialer } from "../platform/dial/dialer.ts";
import type { UpstreamListedModel } from "../platform/endpoint/model-list.ts";
import { probeEndpointModelList } from "../platform/endpoint/probe-endpoint.ts";
import type { CallableVendor } from "../domain/callable-vendor.ts";
import { chainMaybePromise, type MaybePromise } from "../platform/maybe-promise.ts";

/** A list is asked for again after this long; the old one serves meanwhile. */
const freshMs = 60 * 60_000;

/** After a failure the vendor is left alone for this long. */
const pauseMs = 60_000;

/** A linked vendor, as its list is asked for. */
export type ModelListingVendor = Pick<
  CallableVendor,
  "baseUrl" | "poolKey" | "token" | "headers" | "dialects" | "auth"
> & {
  readonly models?: readonly string[] | undefined;
  readonly login?: {
    /** The same object for every token of one login; absent: each vendor is one of its own. */
    readonly identity?: object;
    currentVendor(): MaybePromise<ModelListingVendor>;
  };
};

interface CachedModelList {
  models: readonly UpstreamListedModel[];
  /** Ids of `models`: calls look for theirs among them. */
  ids: readonly string[];
  /** When it is to be asked for again. */
  dueAt: number;
  reading: Promise<CachedModelList> | undefined;
}

/**
 * The models of linked vendors: as configured, or as the vendor lists them to the
 * account's own credential. A list is kept as long as the credential stays the
 * same; a renewed login is the same. A vendor that does not answer has the models it had, or none.
 */
export class VendorModelCache {
  readonly #dialer: Dialer;
  readonly #clock: Clock;
  readonly #lists = new WeakMap<object, CachedModelList>();

  constructor({ dialer, clock }: { readonly dialer: Dialer; readonly clock: Clock }) {
    this.#dialer = dialer;
    this.#clock = clock;
  }

  /** Synchronous when they are known. */
  of(vendor: ModelListingVendor): MaybePromise<readonly UpstreamListedModel[]> {
    if (vendor.models !== undefined) return vendor.models.map(modelWithoutName);
    return chainMaybePromise(this.#current(vendor), ({ models }) => models);
  }

  /** The same, ids only. */
  idsOf(vendor: ModelListingVendor): MaybePromise<readonly string[]> {
    if (vendor.models !== undefined) return vendor.models;
    return chainMaybePromise(this.#current(vendor), ({ ids }) => ids);
  }

  /** What is known of them already: the vendor is not asked. */
  cachedIdsOf(vendor: ModelListingVendor): readonly string[] {
    return vendor.models ?? this.#lists.get(vendor.login?.identity ?? vendor)?.ids ?? [];
  }

  #current(vendor: ModelListingVendor): MaybePromise<CachedModelList> {
    const list = this.#listOf(vendor);
    if (this.#clock.now() < list.dueAt) return list;
    const isFirst = list.dueAt === 0;
    const reading = this.#read(vendor, list);
    return isFirst ? reading : list;
  }

  #listOf(vendor: ModelListingVendor): CachedModelList {
    const key = vendor.login?.identity ?? vendor;
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const list: CachedModelList = { models: [], ids: [], dueAt: 0, reading: undefined };
    this.#lists.set(key, list);
    return list;
  }

  #read(vendor: ModelListingVendor, list: CachedModelList): Promise<CachedModelList> {
    list.reading ??= this.#fetchList(vendor, list).finally(() => {
      list.reading = undefined;
    });
    return list.reading;
  }

  async #fetchList(vendor: ModelListingVendor, list: CachedModelList): Promise<CachedModelList> {
    const live = await withLiveToken(vendor);
    const { baseUrl, poolKey, token: credential, headers, dialects, auth } = live;
    const [dialect = "dialect_chat"] = dialects;
    const target = { baseUrl, poolKey, credential, headers, model: undefined };
    const authStyle = auth === "x-api-key" ? "x-api-key" : "bearer";
    const { error: fault, models } = await probeEndpointModelList(this.#dialer, target, {
      dialect,
      authStyle,
    });
    if (fault === undefined) Object.assign(list, { models, ids: models.map(({ id }) => id) });
    list.dueAt = this.#clock.now() + (fault === undefined ? freshMs : pauseMs);
    return list;
  }
}

/** A login that cannot be renewed is refused by the vendor, which is the answer then. */
async function withLiveToken(vendor: ModelListingVendor): Promise<ModelListingVendor> {
  try {
    return (await vendor.login?.currentVendor()) ?? vendor;
  } catch {
    return vendor;
  }
}

function modelWithoutName(id: string): UpstreamListedModel {
  return {
    id,
    name: undefined,
    created: undefined,
    contextWindow: undefined,
    maxOutputTokens: undefined,
  };
}
