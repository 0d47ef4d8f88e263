import type { EntityManager } from "@mikro-orm/postgresql";
import type { Clock } from "../platform/clock.ts";
import type { DatabaseChangeFeed } from "../platform/database/change-feed.ts";
import {
  ChangeFeedValueCache,
  type DatabaseChangeFeedHealth,
  type CacheMissLoader,
} from "../platform/database/change-feed-cache.ts";
import type { Dialer } from "../platform/dial/dialer.ts";
import { normalizeEndpointBaseUrl } from "../platform/endpoint/base-address.ts";
import { lowerCaseHeaders } from "../platform/endpoint/header-rules.ts";
import type { CallableVendor } from "../domain/callable-vendor.ts";
import { LinkedVendorLogin } from "./linked-login.ts";
import type { SingleFlightLoginRefresher } from "./login-refresher.ts";
import type { Vendor, VendorCatalog } from "./vendor-catalog.ts";
import { VendorCredentialEntity, type VendorCredential } from "./vendor-credential.entity.ts";
import { vendorConnectionPoolKey } from "./vendor-probe.ts";
import {
  vendorLoginHeaders,
  vendorCredentialToken,
  type LinkedVendorCredential,
  type VendorCredentialSealer,
} from "./vendor-secrets.ts";
import { chainMaybePromise, type MaybePromise } from "../platform/maybe-promise.ts";

export interface VendorDirectoryDependencies {
  readonly catalog: VendorCatalog;
  readonly fork: () => EntityManager;
  readonly feed: DatabaseChangeFeedHealth & Pick<DatabaseChangeFeed, "on">;
  readonly clock: Clock;
  readonly dialer: Pick<Dialer, "dropPool">;
  readonly secrets: VendorCredentialSealer;
  readonly renewals: Pick<SingleFlightLoginRefresher, "refresh">;
}

/** Logins whose identity is remembered; beyond it what was learned of them is learned again. */
const maxIdentities = 10_000;

/** An account's links in link order; each opens its credential at its first call. */
type Links = ReadonlyMap<string, () => CallableVendor>;

/** Linked vendors by account, from memory on the warm path. */
export class LinkedVendorDirectory {
  readonly #catalog: VendorCatalog;
  readonly #cache: ChangeFeedValueCache<Links>;
  readonly #load: CacheMissLoader<Links>;
  readonly #clock: Clock;
  readonly #identities = new Map<string, object>();
  readonly #renewals: VendorDirectoryDependencies["renewals"];

  constructor(dependencies: VendorDirectoryDependencies) {
    const { catalog: catalogue, feed, clock, dialer } = dependencies;
    this.#catalog = catalogue;
    this.#clock = clock;
    this.#renewals = dependencies.renewals;
    this.#cache = new ChangeFeedValueCache({ feed, clock });
    this.#load = (accountId) => this.#loadLinks(accountId, dependencies);
    feed.on("vendor_credentials", ({ id, accountId }) => {
      this.#cache.drop(accountId);
      dialer.dropPool(vendorConnectionPoolKey(id));
    });
  }

  /** Whether there is such a vendor, linked or not. */
  has(vendorId: string): boolean {
    return this.#catalog.has(vendorId);
  }

  /** Model ids of a vendor, linked or not, as configured; none: they are discovered. */
  configuredModels(vendorId: string): readonly string[] {
    return this.#catalog.find(vendorId)?.models ?? [];
  }

  /** Undefined: not linked. Rejects with 503 without a database. */
  find(accountId: string, vendorId: string): MaybePromise<CallableVendor | undefined> {
    return chainMaybePromise(this.#cache.get(accountId, this.#load), (links) =>
      links.get(vendorId)?.(),
    );
  }

  /** The vendors that the account has linked, in link order. */
  linked(accountId: string): MaybePromise<readonly CallableVendor[]> {
    return chainMaybePromise(this.#cache.get(accountId, this.#load), openAll);
  }

  async #loadLinks(
    accountId: string,
    { fork, catalog: catalogue, secrets }: VendorDirectoryDependencies,
  ): Promise<Links> {
    const rows = await fork().find(
      VendorCredentialEntity,
      { accountId },
      { orderBy: { linkedAt: "asc", id: "asc" }, disableIdentityMap: true },
    );
    return new Map(
      rows.flatMap((row): [string, () => CallableVendor][] => {
        // A vendor that left the catalogue keeps its credential, in case it comes back.
        const vendor = catalogue.find(row.vendor);
        if (vendor === undefined) return [];
        return [[row.vendor, once(() => this.#callable(row, vendor, secrets.open(row)))]];
      }),
    );
  }

  #callable(
    row: VendorCredential,
    vendor: Vendor,
    credential: LinkedVendorCredential,
  ): CallableVendor {
    const plain = callable(row, vendor, credential);
    const { tokenEndpoint: endpoint } = vendor;
    const isRenewable =
      credential.kind === "login" &&
      credential.refreshToken !== undefined &&
      endpoint !== undefined;
    if (!isRenewable) return plain;
    const { id, accountId } = row;
    const { accessToken } = credential;
    const changed = (): void => this.#cache.drop(accountId);
    const spent = { id, vendor: vendor.id, endpoint, accessToken };
    const login = new LinkedVendorLogin({
      credential,
      identity: this.#identityOf(row),
      clock: this.#clock,
      vendor: () => made,
      stored: () => this.find(accountId, vendor.id),
      renew: (why) => this.#renewals.refresh({ ...spent, reason: why }, changed),
    });
    const made: CallableVendor = { ...plain, login };
    return made;
  }

  /** A link keeps its time when its tokens are renewed. */
  #identityOf({ id, updatedAt }: VendorCredential): object {
    const name = `${id} ${updatedAt.getTime()}`;
    const known = this.#identities.get(name);
    if (known !== undefined) return known;
    if (this.#identities.size >= maxIdentities) this.#identities.clear();
    const identity = {};
    this.#identities.set(name, identity);
    return identity;
  }
}

function openAll(links: Links): CallableVendor[] {
  return [...links.values()].map((open) => open());
}

function callable(
  row: VendorCredential,
  vendor: Vendor,
  credential: LinkedVendorCredential,
): CallableVendor {
  return {
    id: vendor.id,
    accountId: row.accountId,
    label: vendor.label,
    dialects: vendor.dialects,
    baseUrl: normalizeEndpointBaseUrl(vendor.baseUrl),
    auth: vendor.auth,
    token: vendorCredentialToken(credential),
    headers: lowerCaseHeaders(vendorLoginHeaders(credential)),
    models: vendor.models,
    ...(vendor.isFirstParty === true && { isFirstParty: true }),
    poolKey: vendorConnectionPoolKey(row.id),
    linkedAt: row.linkedAt.getTime(),
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
