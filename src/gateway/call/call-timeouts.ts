import type { ConfiguredRequestLimits } from "../../platform/configuration/configuration.ts";

/** Times of a call in milliseconds. */
export interface CallTimeouts {
  /** From the dial to the first byte of the answer's body. */
  readonly firstByteMs: number;
  /** Between two pieces of an answer. */
  readonly idleMs: number;
  /** A stream that has nothing to pass on for this long begins all the same. */
  readonly commitMs: number;
  /** Silence of a stream that has begun after which it is kept alive. */
  readonly keepAliveMs: number;
  /** How long a caller may read nothing before it is dropped. */
  readonly blockedMs: number;
}

/**
 * The limits that the contract fixes, with those that the operator sets. A silence
 * lasts 15 s at most: the watch looks once a second, and the rest is for a busy loop.
 */
export function buildCallTimeouts({
  firstByteMs,
  idleMs,
}: Pick<ConfiguredRequestLimits, "firstByteMs" | "idleMs">): CallTimeouts {
  return { firstByteMs, idleMs, commitMs: 10_000, keepAliveMs: 13_500, blockedMs: 60_000 };
}
