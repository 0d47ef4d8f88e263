import {
  RateLimitBuckets,
  type RateLimitBucketState,
  type RequestRateLimit,
} from "../request-buckets.ts";
import type { RequestRateLimiter } from "../request-limiter.ts";
import type { Clock } from "../../clock.ts";
import type { RedisRateLimitBuckets } from "./shared-buckets.ts";
import type { MaybePromise } from "../../maybe-promise.ts";

export interface RedisRateLimiterDependencies {
  readonly shared: RedisRateLimitBuckets;
  /** What is counted; buckets of one kind never meet those of another. */
  readonly kind: string;
  readonly clock: Clock;
  /** Hears of each request that was decided here because Redis was away. */
  readonly onFallback: () => void;
}

/**
 * Buckets that several machines share. This process keeps a copy of what it last
 * heard of each: it is what `peek` shows, and what decides while Redis is away, so
 * that an outage begins with the buckets as they were and not with full ones.
 */
export class RedisRateLimiter implements RequestRateLimiter {
  readonly #dependencies: RedisRateLimiterDependencies;
  readonly #copy: RateLimitBuckets;

  constructor(dependencies: RedisRateLimiterDependencies) {
    this.#dependencies = dependencies;
    this.#copy = new RateLimitBuckets(dependencies.clock);
  }

  take(id: string, limit: RequestRateLimit): MaybePromise<RateLimitBucketState> {
    const { shared, kind } = this.#dependencies;
    const taken = shared.take(`${kind}:${id}`, limit);
    if (taken === undefined) return this.#takeHere(id, limit);
    return taken.then((found) => {
      if (found === undefined) return this.#takeHere(id, limit);
      this.#copy.setFullAt(id, found.reading);
      return found.reading;
    });
  }

  peek(id: string, limit: RequestRateLimit): RateLimitBucketState {
    return this.#copy.peek(id, limit);
  }

  #takeHere(id: string, limit: RequestRateLimit): RateLimitBucketState {
    this.#dependencies.onFallback();
    return this.#copy.take(id, limit);
  }
}
