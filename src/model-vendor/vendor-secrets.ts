import type { SealedValueBinding, SecretBox } from "../platform/crypto/secret-box.ts";
import { Secret } from "../platform/crypto/secret.ts";
import type { ExtraHeaders } from "../platform/endpoint/header-rules.ts";
import type { VendorCredential } from "./vendor-credential.entity.ts";

/** What an account links: a key, or the login of a code assistant. */
export type LinkedVendorCredential =
  | { readonly kind: "api_key"; readonly apiKey: string }
  | {
      readonly kind: "login";
      readonly accessToken: string;
      /** Undefined: the login ends with its access token. */
      readonly refreshToken: string | undefined;
      /** When the access token ends, RFC 3339; undefined: not known. */
      readonly expiresAt: string | undefined;
      /** Extra request headers that the login needs. */
      readonly headers: ExtraHeaders;
      /** When this server got the access token, RFC 3339; undefined: it was linked. */
      readonly issuedAt?: string | undefined;
      /** The vendor refused to renew it: only a new login helps. */
      readonly hasEnded?: boolean;
    };

/** The login of a code assistant. */
export type VendorLoginCredential = Extract<LinkedVendorCredential, { kind: "login" }>;

const table = "vendor_credentials";
const column = "credential";

/** What `causeway keys rewrap` moves to another master key. */
export const vendorSealedColumns = [{ table, column, rowId: "id" }];

/** Seals and opens linked credentials, bound to their row. */
export class VendorCredentialSealer {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  seal(id: string, credential: LinkedVendorCredential): string {
    return this.#box.seal(JSON.stringify(credential), binding(id));
  }

  /** Throws `SealError`. */
  open({ id, credential }: Pick<VendorCredential, "id" | "credential">): LinkedVendorCredential {
    return JSON.parse(this.#box.open(credential, binding(id))) as LinkedVendorCredential;
  }
}

/** What is sent as the key. */
export function vendorCredentialToken(credential: LinkedVendorCredential): Secret {
  return new Secret(credential.kind === "login" ? credential.accessToken : credential.apiKey);
}

/** What is sent beside the key. */
export function vendorLoginHeaders(credential: LinkedVendorCredential): ExtraHeaders {
  return credential.kind === "login" ? credential.headers : {};
}

function binding(row: string): SealedValueBinding {
  return { table, row, column };
}
