/** One use of an `Idempotency-Key`. */
export interface IdempotentRequest {
  /** The caller's account; `operator` for the operator. */
  readonly accountId: string;
  /** Full name of the method, `causeway.upstream.v1.UpstreamService/CreateUpstream`. */
  readonly route: string;
  /** As the caller sent it, 1 to 255 characters. */
  readonly key: string;
  /** SHA-256 in hex of the request message and the kind of its caller: the same over every protocol. */
  readonly bodyHash: string;
}

/** A use that this process runs; exactly one of the two is called at its end. */
export interface IdempotencyAttemptHandle {
  /** Keeps the answer, sealed, for 24 hours. */
  complete(response: Uint8Array): Promise<void>;
  /** Forgets the use: it was refused, and the key may be used again. */
  abandon(): Promise<void>;
}

/** What is known of a use when it comes. */
export type IdempotencyState =
  | { readonly kind: "started"; readonly attempt: IdempotencyAttemptHandle }
  | { readonly kind: "running" }
  | { readonly kind: "other_body" }
  /** `response` is the message of the first answer in binary. */
  | { readonly kind: "completed"; readonly response: Uint8Array };
