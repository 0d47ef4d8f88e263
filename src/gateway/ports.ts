import type { Dispatcher } from "undici";
import type { Dialect } from "../platform/configuration/configuration.ts";
import type { ModelPrice } from "../platform/configuration/model-price.ts";
import type { CredentialHeaders } from "../platform/credentials.ts";
import type { Secret } from "../platform/crypto/secret.ts";
import type { DialFailure } from "../platform/dial/dial-failure.ts";
import type { KeyPrincipal, Scope } from "../platform/principal.ts";
import type { RequestLimit } from "../platform/rate-limit/request-buckets.ts";

/** Where calls may be served (gateway seed, `x-svc-route`). */
export type CallRoute = "byo" | "credits" | "auto";

/** Who answers a call (gateway seed, `x-svc-mode`). */
export type CallMode = "model" | "agent";

/** A request bucket of a key's own. */
export interface KeyLimit extends RequestLimit {
  /** Model calls under way at once; absent: the configured limit. */
  readonly concurrentRequests?: number;
}

/** A live caller key as a model call needs it. */
export interface CallerKey {
  readonly principal: KeyPrincipal;
  readonly route: CallRoute;
  readonly mode: CallMode;
  /** Patterns with `*`; empty: every model. */
  readonly allowedModels: readonly string[];
  /** Undefined: the configured limit. */
  readonly rateLimit: KeyLimit | undefined;
  /** What it may spend of the wallet; undefined: all that is there. */
  readonly budget?: SpendingLimit | undefined;
}

/** A value that is there at once when it is in memory, so that a warm call awaits nothing. */
export type Warm<Value> = Value | Promise<Value>;

/** Resolves credentials; implemented by the account domain. */
export interface KeyAuthenticator {
  /**
   * The live key that the headers present. Throws 401 `unauthorized`, 403
   * `insufficient_scope` (refused keys, sessions, a missing `scope`), 429 or 503.
   * `refused` hears first of a key that is known and refused; too many unknown
   * ones from one `address` are the 429.
   */
  authenticateModelCall(
    headers: CredentialHeaders,
    scope: Scope | undefined,
    refused: (key: CallerKey) => void,
    address?: string,
  ): Warm<CallerKey>;
}

/** A custom endpoint that can be dialled. The object stays the same while the endpoint does. */
export interface CallableEndpoint {
  readonly accountId: string;
  readonly slug: string;
  readonly dialect: "dialect_chat" | "dialect_messages";
  /** With a path and without a trailing slash. */
  readonly baseUrl: URL;
  /** Headers that the owner of the endpoint added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly apiKey: Secret;
  readonly poolKey: string;
  /** Model ids, the caller's own first. */
  readonly models?: readonly string[];
  /** What the endpoint told of its models, by id; tokens. */
  readonly modelMeta?: Readonly<Record<string, KnownModelLimits>>;
}

/** Limits of a model in tokens, as far as they are known. */
export interface KnownModelLimits {
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** Custom endpoints of an account; implemented by the upstream domain. */
export interface UpstreamDirectory {
  find(accountId: string, slug: string): Warm<CallableEndpoint | undefined>;
}

/** A vendor with the account's linked credential. The object stays the same while both do. */
export interface CallableVendor {
  readonly id: string;
  readonly accountId: string;
  readonly dialects: readonly Dialect[];
  /** With a path and without a trailing slash. */
  readonly baseUrl: URL;
  readonly auth: "bearer" | "x-api-key" | "login";
  readonly token: Secret;
  readonly headers: Readonly<Record<string, string>>;
  readonly poolKey: string;
  /** Model ids as configured; undefined: discovered from the vendor's list. */
  readonly models?: readonly string[] | undefined;
  /** The server of the vendor that invented its dialects, not a compatible one. */
  readonly isFirstParty?: boolean;
  /** The operator's own credential, for what is sold. */
  readonly isOperators?: boolean;
  /** Undefined: the token is a key, or a login that cannot be renewed. */
  readonly login?: RenewableLogin;
}

/** A login whose access token can be replaced by a new one; implemented by the vendor domain. */
export interface RenewableLogin {
  /** The vendor refused to renew it: only a new login helps. */
  readonly hasEnded: boolean;
  /** The vendor with a token that lives. Rejects with 502 when there is none. */
  fresh(): Warm<CallableVendor>;
  /** After this token was refused: the vendor with another one. Undefined: there is none. */
  renewed(): Promise<CallableVendor | undefined>;
}

/** Vendors of the catalogue and the credentials linked to them; implemented by the vendor domain. */
export interface VendorDirectory {
  /** Whether the catalogue has such a vendor. */
  has(vendorId: string): boolean;
  /** Model ids of a vendor, linked or not, as configured; none: they are discovered, or there is no such vendor. */
  configuredModels(vendorId: string): readonly string[];
  /** Undefined: the account has linked no credential. */
  find(accountId: string, vendorId: string): Warm<CallableVendor | undefined>;
  /** In the order in which they were linked. */
  linked(accountId: string): Warm<readonly CallableVendor[]>;
}

/** What an `@token` stands for; implemented by the alias domain. */
export interface AliasDirectory {
  /** Undefined: the account has no such alias. */
  find(accountId: string, token: string): Warm<AliasTarget | undefined>;
}

/** The target of an alias. */
export interface AliasTarget {
  /** Vendor id or `custom/<slug>`. */
  readonly vendor: string;
  /** Undefined: the first model that the vendor or endpoint has. */
  readonly modelId: string | undefined;
  /** The entry of the credits catalogue that it names, by id; several may sell one model. */
  readonly catalogueId?: string;
}

/** A key's budget; nano-dollars in decimal digits. */
export interface SpendingLimit {
  readonly limitNanoUsd: string;
  readonly window: "day" | "month" | "total";
}

/** A model of the credits catalogue, with the operator's credential for it. */
export interface SoldModel {
  /** Id of the catalogue. */
  readonly id: string;
  /** What the vendor knows it by. */
  readonly model: string;
  readonly vendor: CallableVendor;
  readonly maxOutputTokens: number | undefined;
  readonly price: ModelPrice;
}

/** What the operator sells. */
export interface CreditsCatalogue {
  /** By the catalogue's id. */
  byId(id: string): SoldModel | undefined;
  byVendor(vendor: string, model: string): SoldModel | undefined;
}

/** Tokens of a call; `input` is what was neither read from nor written to a cache. */
export interface CallTokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** What a call has used, as far as it is known. */
export interface UsedTokens extends CallTokens {
  /** Counted here, not told by the vendor. */
  readonly isEstimated: boolean;
  /** The vendor's own object. */
  readonly raw: unknown;
}

/** Money held for one call; ended once. */
export interface Reservation {
  checkpoint(used: UsedTokens): Promise<void>;
  settle(used: UsedTokens): Promise<void>;
  release(): Promise<void>;
}

/** Who keeps the books; implemented by the wallet domain. */
export interface CallLedger {
  /** Throws 402 `byo_url` where the money is not there. */
  reserve(request: {
    readonly id: string;
    readonly accountId: string;
    readonly keyId: string;
    readonly model: string;
    readonly price: ModelPrice;
    readonly tokens: CallTokens;
    readonly budget: SpendingLimit | undefined;
  }): Promise<Reservation>;
  /** Notes a call that cost nothing; never throws. */
  note(call: {
    readonly id: string;
    readonly accountId: string;
    readonly keyId: string;
    readonly model: string;
    /** Caches included. */
    readonly inputTokens: number;
    readonly cachedInputTokens: number;
    readonly outputTokens: number;
    readonly isEstimated: boolean;
    readonly raw: unknown;
    /** Milliseconds since the epoch. */
    readonly startedAt: number;
  }): void;
}

/** The one way out of the server. */
export interface CallDialer {
  /** The connections of a pool key; ask for them for each dial. */
  dispatcher(poolKey: string): Dispatcher;
}

/** Tells the kind of a failed dial from an error of a dispatcher. */
export type ReadDialFailure = (error: unknown) => DialFailure | undefined;
