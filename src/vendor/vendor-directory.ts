import type { EntityManager } from "@mikro-orm/postgresql";
import type { Clock } from "../platform/clock.ts";
import type { Dialect, VendorDefinition } from "../platform/configuration/configuration.ts";
import type { Secret } from "../platform/crypto/secret.ts";
import type { ChangeFeed } from "../platform/database/change-feed.ts";
import { FedCache, type CacheFeed, type Load } from "../platform/database/fed-cache.ts";
import type { Dialer } from "../platform/dial/dialer.ts";
import { callableAddress } from "../platform/endpoint/base-address.ts";
import { dialledHeaders } from "../platform/endpoint/header-rules.ts";
import type { Vendor, VendorCatalogue } from "./vendor-catalogue.ts";
import { VendorCredentialSchema, type VendorCredential } from "./vendor-credential.entity.ts";
import { vendorPoolKey } from "./vendor-probe.ts";
import {
  headersOf,
  tokenOf,
  type AccountCredential,
  type VendorSecrets,
} from "./vendor-secrets.ts";

/** A vendor with the credential that an account has linked, as model calls need it. */
export interface CallableVendor {
  readonly id: string;
  readonly accountId: string;
  readonly label: string;
  /** What it speaks, the preferred dialect first. */
  readonly dialects: readonly Dialect[];
  /** With a path and without a trailing slash: operations are appended. */
  readonly baseUrl: URL;
  /** `login` is sent as a bearer. */
  readonly auth: VendorDefinition["auth"];
  readonly token: Secret;
  /** Extra headers of a login; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Model ids; undefined: to be discovered. */
  readonly models: readonly string[] | undefined;
  /** The server of the vendor that invented its dialects, not a compatible one. */
  readonly isFirstParty?: boolean;
  readonly poolKey: string;
  /** Milliseconds since the Unix epoch. */
  readonly linkedAt: number;
  /** When a login's access token ends, milliseconds since the Unix epoch; undefined: not known. */
  readonly expiresAt: number | undefined;
}

export interface VendorDirectoryOptions {
  readonly catalogue: VendorCatalogue;
  readonly fork: () => EntityManager;
  readonly feed: CacheFeed & Pick<ChangeFeed, "on">;
  readonly clock: Clock;
  readonly dialer: Pick<Dialer, "dropPool">;
  readonly secrets: VendorSecrets;
}

/** An account's links in link order; each opens its credential at its first call. */
type Links = ReadonlyMap<string, () => CallableVendor>;

/** Linked vendors by account, from memory on the warm path. */
export class VendorDirectory {
  readonly #catalogue: VendorCatalogue;
  readonly #cache: FedCache<Links>;
  readonly #load: Load<Links>;

  constructor(options: VendorDirectoryOptions) {
    const { catalogue, feed, clock, dialer } = options;
    this.#catalogue = catalogue;
    this.#cache = new FedCache({ feed, clock });
    this.#load = (accountId) => loadLinks(accountId, options);
    feed.on("vendor_credentials", ({ id, accountId }) => {
      this.#cache.drop(accountId);
      dialer.dropPool(vendorPoolKey(id));
    });
  }

  /** Whether there is such a vendor, linked or not. */
  has(vendorId: string): boolean {
    return this.#catalogue.has(vendorId);
  }

  /** Model ids of a vendor, linked or not, as configured; none: they are discovered. */
  configuredModels(vendorId: string): readonly string[] {
    return this.#catalogue.find(vendorId)?.models ?? [];
  }

  /** Undefined: not linked. Rejects with 503 without a database. */
  find(
    accountId: string,
    vendorId: string,
  ): CallableVendor | undefined | Promise<CallableVendor | undefined> {
    const links = this.#cache.get(accountId, this.#load);
    if (links instanceof Promise) return links.then((loaded) => loaded.get(vendorId)?.());
    return links.get(vendorId)?.();
  }

  /** The vendors that the account has linked, in link order. */
  linked(accountId: string): readonly CallableVendor[] | Promise<readonly CallableVendor[]> {
    const links = this.#cache.get(accountId, this.#load);
    return links instanceof Promise ? links.then(openAll) : openAll(links);
  }
}

function openAll(links: Links): CallableVendor[] {
  return [...links.values()].map((open) => open());
}

async function loadLinks(
  accountId: string,
  { fork, catalogue, secrets }: VendorDirectoryOptions,
): Promise<Links> {
  const rows = await fork().find(
    VendorCredentialSchema,
    { accountId },
    { orderBy: { linkedAt: "asc", id: "asc" }, disableIdentityMap: true },
  );
  return new Map(
    rows.flatMap((row): [string, () => CallableVendor][] => {
      // A vendor that left the catalogue keeps its credential, in case it comes back.
      const vendor = catalogue.find(row.vendor);
      return vendor === undefined ? [] : [[row.vendor, once(() => callable(row, vendor, secrets))]];
    }),
  );
}

function callable(row: VendorCredential, vendor: Vendor, secrets: VendorSecrets): CallableVendor {
  const credential = secrets.open(row);
  return {
    id: vendor.id,
    accountId: row.accountId,
    label: vendor.label,
    dialects: vendor.dialects,
    baseUrl: callableAddress(vendor.baseUrl),
    auth: vendor.auth,
    token: tokenOf(credential),
    headers: dialledHeaders(headersOf(credential)),
    models: vendor.models,
    ...(vendor.isFirstParty === true && { isFirstParty: true }),
    poolKey: vendorPoolKey(row.id),
    linkedAt: row.linkedAt.getTime(),
    expiresAt: expiryOf(credential),
  };
}

function expiryOf(credential: AccountCredential): number | undefined {
  if (credential.kind !== "login" || credential.expiresAt === undefined) return undefined;
  return Date.parse(credential.expiresAt);
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
