import type { SealedValueBinding, SecretBox } from "../platform/crypto/secret-box.ts";
import { Secret } from "../platform/crypto/secret.ts";
import type { ExtraHeaders } from "../platform/endpoint/header-rules.ts";
import type { CustomEndpoint } from "./upstream.entity.ts";

type SecretColumn = "api_key" | "headers";

const table = "upstreams";

/** What `causeway keys rewrap` moves to another master key. */
export const upstreamSealedColumns = (["api_key", "headers"] satisfies SecretColumn[]).map(
  (column) => ({ table, column, rowId: "id" }),
);

/** Seals and opens what a custom endpoint keeps secret, bound to its row. */
export class UpstreamSecretSealer {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  sealKey(id: string, key: string): string {
    return this.#box.seal(key, binding(id, "api_key"));
  }

  /** Null for no headers. */
  sealHeaders(id: string, headers: ExtraHeaders): string | null {
    if (Object.keys(headers).length === 0) return null;
    return this.#box.seal(JSON.stringify(headers), binding(id, "headers"));
  }

  /** The key of an endpoint that is not removed. Throws `SealError`. */
  openKey({ id, apiKey }: Pick<CustomEndpoint, "id" | "apiKey">): Secret {
    return new Secret(apiKey === null ? "" : this.#box.open(apiKey, binding(id, "api_key")));
  }

  /** The headers as the caller spelled them. Throws `SealError`. */
  openHeaders({ id, headers }: Pick<CustomEndpoint, "id" | "headers">): ExtraHeaders {
    if (headers === null) return {};
    return JSON.parse(this.#box.open(headers, binding(id, "headers"))) as ExtraHeaders;
  }
}

function binding(row: string, column: SecretColumn): SealedValueBinding {
  return { table, row, column };
}
