import type { RateLimitBucketState, RequestRateLimit } from "./request-buckets.ts";
import type { MaybePromise } from "../maybe-promise.ts";

/**
 * Who keeps the request buckets: this process (`RateLimitBuckets`), or a place that
 * several processes ask. Never fails: who cannot be asked is stood in for.
 */
export interface RequestRateLimiter {
  /**
   * Takes one request out of the bucket of `id`, if there is one. At once where the
   * bucket is in this process, so that a warm call awaits nothing; a promise never
   * rejects and is there within a bounded time.
   */
  take(id: string, limit: RequestRateLimit): MaybePromise<RateLimitBucketState>;
  /** How the bucket stands as far as this process knows, without taking anything out. */
  peek(id: string, limit: RequestRateLimit): RateLimitBucketState;
}

/** The buckets of an instance, by what they count; ids of one kind never meet those of another. */
export interface RequestRateLimiters {
  /** Model calls, by key id. */
  readonly keys: RequestRateLimiter;
  /** Requests without a credential, by network address. */
  readonly addresses: RequestRateLimiter;
  /** Probes of endpoints and vendors, by account id. */
  readonly probes: RequestRateLimiter;
}
