import type { Secret } from "../platform/crypto/secret.ts";

/** What a custom endpoint can be dialled in. */
export const upstreamDialects = ["dialect_chat", "dialect_messages", "dialect_responses"] as const;

export type UpstreamDialect = (typeof upstreamDialects)[number];

/** What an endpoint told of one of its models, in tokens. */
export interface ModelTokenLimits {
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
}

/** A custom endpoint as model calls need it. The object stays the same while the endpoint does. */
export interface CallableCustomEndpoint {
  readonly accountId: string;
  readonly slug: string;
  readonly label: string;
  readonly dialect: UpstreamDialect;
  /** With a path and without a trailing slash: operations are appended. */
  readonly baseUrl: URL;
  /** Headers that the owner of the endpoint added; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly apiKey: Secret;
  readonly poolKey: string;
  /** Model ids, the caller's own first. */
  readonly models: readonly string[];
  /** What its owner, or it, calls its models, by id. */
  readonly modelNames: Readonly<Record<string, string>>;
  /** By model id. */
  readonly modelMeta: Readonly<Record<string, ModelTokenLimits>>;
  /** When it says that its models were made, Unix seconds by id. */
  readonly modelCreated: Readonly<Record<string, number>>;
  /** When it was registered, milliseconds since the epoch. */
  readonly createdAt: number;
}
