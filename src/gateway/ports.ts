import type { EntityManager } from "@mikro-orm/postgresql";
import type { Dispatcher } from "undici";
import type { AliasRouting } from "../domain/alias-target.ts";
import type { CallableCustomEndpoint } from "../domain/callable-endpoint.ts";
import type { CallableVendor } from "../domain/callable-vendor.ts";
import type { CallerKey } from "../domain/caller-key.ts";
import type {
  CreditsReservation,
  CreditsReservationRequest,
  CallTokenUsage,
} from "../domain/reservation.ts";
import type { CreditsCatalogModel } from "../domain/credits-model.ts";
import type { CallerCredentialHeaders } from "../platform/credentials.ts";
import type { DialFailure } from "../platform/dial/dial-failure.ts";
import type { CallerKeyScope } from "../platform/principal.ts";
import type { MaybePromise } from "../platform/maybe-promise.ts";

/** Resolves credentials; implemented by the account domain. */
export interface CallerKeyAuthenticator {
  /**
   * The live key that the headers present. Throws 401 `unauthorized`, 403
   * `insufficient_scope` (refused keys, sessions, a missing `scope`), 429 or 503.
   * `refused` hears first of a key that is known and refused; too many unknown
   * ones from one `address` are the 429.
   */
  authenticateModelCall(
    headers: CallerCredentialHeaders,
    scope: CallerKeyScope | undefined,
    refused: (key: CallerKey) => void,
    address?: string,
  ): MaybePromise<CallerKey>;
}

/** Knows keys that nobody presents; implemented by the account domain. */
export interface CallerKeyByIdLookup {
  /** The live key of an id, for what runs on its behalf. Rejects with 403 `insufficient_scope`, or 503. */
  liveKey(keyId: string): Promise<CallerKey>;
}

/** Custom endpoints of an account; implemented by the upstream domain. */
export interface CustomEndpointLookup {
  find(accountId: string, slug: string): MaybePromise<CallableCustomEndpoint | undefined>;
}

/** Vendors of the catalogue and the credentials linked to them; implemented by the vendor domain. */
export interface LinkedVendorLookup {
  /** Whether the catalogue has such a vendor. */
  has(vendorId: string): boolean;
  /** Model ids of a vendor, linked or not, as configured; none: they are discovered, or there is no such vendor. */
  configuredModels(vendorId: string): readonly string[];
  /** Undefined: the account has linked no credential. */
  find(accountId: string, vendorId: string): MaybePromise<CallableVendor | undefined>;
  /** In the order in which they were linked. */
  linked(accountId: string): MaybePromise<readonly CallableVendor[]>;
}

/** What an `@token` stands for; implemented by the alias domain. */
export interface AliasLookup {
  /** Undefined: the account has no such alias. */
  find(accountId: string, token: string): MaybePromise<AliasRouting | undefined>;
}

/** What the operator sells; made from the configuration. */
export interface CreditsModelCatalog {
  /** By the catalogue's id. */
  findById(id: string): CreditsCatalogModel | undefined;
  byVendor(vendor: string, model: string): CreditsCatalogModel | undefined;
}

/** Who keeps the books; implemented by the wallet domain. */
export interface CallReservationLedger {
  /** Throws 402 `byo_url` where the money is not there. */
  reserve(request: CreditsReservationRequest): Promise<CreditsReservation>;
}

/** Who settles what nobody settled; implemented by the wallet domain. */
export interface OrphanedReservationSettler {
  /** Charges, inside a transaction, what a call of a dead process used. */
  settleOrphaned(
    em: EntityManager,
    reservation: Pick<CreditsReservationRequest, "id" | "price">,
    used: CallTokenUsage,
  ): Promise<void>;
}

/** The one way out of the server. */
export interface HttpDispatcherProvider {
  /** The connections of a pool key; ask for them for each dial. */
  dispatcher(poolKey: string): Dispatcher;
}

/** Tells the kind of a failed dial from an error of a dispatcher. */
export type DialFailureClassifier = (error: unknown) => DialFailure | undefined;
