import type { DialectId, VendorCatalogEntry } from "../platform/configuration/configuration.ts";
import type { Secret } from "../platform/crypto/secret.ts";
import type { MaybePromise } from "../platform/maybe-promise.ts";

/**
 * A vendor with the credential that an account has linked, or the operator's, as
 * model calls need it. The object stays the same while both do.
 */
export interface CallableVendor {
  readonly id: string;
  readonly accountId: string;
  readonly label: string;
  /** What it speaks, the preferred dialect first. */
  readonly dialects: readonly DialectId[];
  /** With a path and without a trailing slash: operations are appended. */
  readonly baseUrl: URL;
  /** `login` is sent as a bearer. */
  readonly auth: VendorCatalogEntry["auth"];
  readonly token: Secret;
  /** Extra headers of a login; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly poolKey: string;
  /** Model ids as configured; undefined: discovered from the vendor's list. */
  readonly models: readonly string[] | undefined;
  /** Milliseconds since the epoch; absent: the operator's. */
  readonly linkedAt?: number;
  /** The server of the vendor that invented its dialects, not a compatible one. */
  readonly isFirstParty?: boolean;
  /** The operator's own credential, for what is sold. */
  readonly belongsToOperator?: boolean;
  /** Undefined: the token is a key, or a login that cannot be renewed. */
  readonly login?: RefreshableVendorLogin;
}

/** A login whose access token can be replaced by a new one. */
export interface RefreshableVendorLogin {
  /** The vendor refused to renew it: only a new login helps. */
  readonly hasEnded: boolean;
  /** The same object for every token that one link leads to. */
  readonly identity: object;
  /**
   * The vendor with a token that lives, at once while this one does. Rejects
   * with 502 when there is none, with 403 when the vendor was unlinked meanwhile.
   */
  currentVendor(): MaybePromise<CallableVendor>;
  /**
   * The vendor with another token, after this one was refused; undefined: there is
   * no other, and asking for one is no use. Rejects like `currentVendor`.
   */
  refresh(): Promise<CallableVendor | undefined>;
}
