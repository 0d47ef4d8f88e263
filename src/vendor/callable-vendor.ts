import type { Dialect, VendorDefinition } from "../platform/configuration/configuration.ts";
import type { Secret } from "../platform/crypto/secret.ts";

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
  /** Undefined: a key, or a login that cannot be renewed. */
  readonly login?: RenewableLogin;
}

/** A login whose access token can be replaced by a new one. */
export interface RenewableLogin {
  /** The vendor refused to renew it: only a new login helps. */
  readonly hasEnded: boolean;
  /** The same object for every token that one link leads to. */
  readonly identity: object;
  /**
   * The vendor with a token that lives, synchronously while this one does. Rejects
   * with 502 when there is none, with 403 when the vendor was unlinked meanwhile.
   */
  fresh(): CallableVendor | Promise<CallableVendor>;
  /**
   * The vendor with another token, after this one was refused; undefined: there is
   * no other, and asking for one is no use. Rejects like `fresh`.
   */
  renewed(): Promise<CallableVendor | undefined>;
}
