import type { Clock } from "../clock.ts";

/** How many requests may come: a sustained rate and how far a burst may run ahead of it. */
export interface RequestRateLimit {
  readonly requestsPerMinute: number;
  /** Requests that a full bucket holds. */
  readonly burst: number;
}

/** A bucket as it stands after a request was counted or looked at. */
export interface RateLimitBucketState {
  /** False: over the limit; the request was not counted. */
  readonly allowed: boolean;
  readonly limit: RequestRateLimit;
  /** Whole requests left. */
  readonly remaining: number;
  /** Milliseconds until the bucket is full again. */
  readonly fullInMs: number;
  /** Milliseconds until the next request is allowed; 0 when it is now. */
  readonly retryInMs: number;
}

/** Buckets are looked through for idle ones when this many more have come. */
const sweepAfter = 10_000;

/** The time at which a bucket will be full, and the interval that it was counted in. */
interface Bucket {
  fullAt: number;
  interval: number;
}

/**
 * Token buckets in memory, one per id, by the generic cell rate algorithm: a
 * bucket is the time at which it will be full. A full bucket is the same as none,
 * so that idle ones are forgotten without loss. When the limit of an id changes,
 * its bucket lacks as many requests as before, at most all of them.
 */
export class RateLimitBuckets {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();
  #sweepAt = sweepAfter;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Buckets that are kept now. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Takes one request out of the bucket of `id`, if there is one. */
  take(id: string, limit: RequestRateLimit): RateLimitBucketState {
    const now = this.#clock.now();
    const interval = rateLimitRefillIntervalMs(limit);
    const fullInMs = this.#fullInMs(id, limit, now);
    if (fullInMs + interval > limit.burst * interval)
      return computeRateLimitBucketState(limit, fullInMs, false);
    this.#set(id, now + fullInMs + interval, interval);
    if (this.#buckets.size > this.#sweepAt) this.#sweep(now);
    return computeRateLimitBucketState(limit, fullInMs + interval, true);
  }

  /** Looks at the bucket without taking anything out. */
  peek(id: string, limit: RequestRateLimit): RateLimitBucketState {
    return computeRateLimitBucketState(limit, this.#fullInMs(id, limit, this.#clock.now()), true);
  }

  /** Sets the bucket to how it stands elsewhere. */
  setFullAt(id: string, { limit, fullInMs }: RateLimitBucketState): void {
    const now = this.#clock.now();
    this.#set(id, now + fullInMs, rateLimitRefillIntervalMs(limit));
    if (this.#buckets.size > this.#sweepAt) this.#sweep(now);
  }

  #fullInMs(id: string, limit: RequestRateLimit, now: number): number {
    const bucket = this.#buckets.get(id);
    if (bucket === undefined || bucket.fullAt <= now) return 0;
    const interval = rateLimitRefillIntervalMs(limit);
    const fullInMs = bucket.fullAt - now;
    const scale = bucket.interval === interval ? 1 : interval / bucket.interval;
    return Math.min(fullInMs * scale, limit.burst * interval);
  }

  #set(id: string, fullAt: number, interval: number): void {
    const bucket = this.#buckets.get(id);
    if (bucket === undefined) {
      this.#buckets.set(id, { fullAt, interval });
    } else {
      bucket.fullAt = fullAt;
      bucket.interval = interval;
    }
  }

  #sweep(now: number): void {
    for (const [id, { fullAt }] of this.#buckets) if (fullAt <= now) this.#buckets.delete(id);
    this.#sweepAt = this.#buckets.size + sweepAfter;
  }
}

/** Milliseconds in which one request comes back. */
export function rateLimitRefillIntervalMs(limit: RequestRateLimit): number {
  return 60_000 / limit.requestsPerMinute;
}

/** What a bucket tells that is full in `fullInMs`. */
export function computeRateLimitBucketState(
  limit: RequestRateLimit,
  fullInMs: number,
  allowed: boolean,
): RateLimitBucketState {
  const interval = rateLimitRefillIntervalMs(limit);
  const free = limit.burst * interval - fullInMs;
  // Times are sums of fractions: without the margin a last bit would cost a request.
  const remaining = Math.max(0, Math.floor(free / interval + 1e-6));
  return { allowed, limit, remaining, fullInMs, retryInMs: Math.max(0, interval - free) };
}
