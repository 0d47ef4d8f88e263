import type { Clock } from "../clock.ts";

/** How many requests may come: a sustained rate and how far a burst may run ahead of it. */
export interface RequestLimit {
  readonly requestsPerMinute: number;
  /** Requests that a full bucket holds. */
  readonly burst: number;
}

/** A bucket as it stands after a request was counted or looked at. */
export interface BucketReading {
  /** False: over the limit; the request was not counted. */
  readonly allowed: boolean;
  readonly limit: RequestLimit;
  /** Whole requests left. */
  readonly remaining: number;
  /** Milliseconds until the bucket is full again. */
  readonly fullInMs: number;
  /** Milliseconds until the next request is allowed; 0 when it is now. */
  readonly nextInMs: number;
}

/** Buckets are looked through for idle ones when this many more have come. */
const sweepAfter = 10_000;

/**
 * Token buckets in memory, one per id, by the generic cell rate algorithm: a
 * bucket is one number, the time at which it will be full. A full bucket is the
 * same as none, so that idle ones are forgotten without loss.
 */
export class RequestBuckets {
  readonly #clock: Clock;
  readonly #fullAt = new Map<string, number>();
  #sweepAt = sweepAfter;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Buckets that are kept now. */
  get size(): number {
    return this.#fullAt.size;
  }

  /** Takes one request out of the bucket of `id`, if there is one. */
  take(id: string, limit: RequestLimit): BucketReading {
    const now = this.#clock.now();
    const fullAt = Math.max(this.#fullAt.get(id) ?? 0, now) + intervalMs(limit);
    if (fullAt - now > limit.burst * intervalMs(limit)) return this.#read(id, limit, now, false);
    this.#fullAt.set(id, fullAt);
    if (this.#fullAt.size > this.#sweepAt) this.#sweep(now);
    return reading(limit, fullAt - now, true);
  }

  /** Looks at the bucket without taking anything out. */
  peek(id: string, limit: RequestLimit): BucketReading {
    return this.#read(id, limit, this.#clock.now(), true);
  }

  #read(id: string, limit: RequestLimit, now: number, allowed: boolean): BucketReading {
    return reading(limit, Math.max(0, (this.#fullAt.get(id) ?? 0) - now), allowed);
  }

  #sweep(now: number): void {
    for (const [id, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(id);
    this.#sweepAt = this.#fullAt.size + sweepAfter;
  }
}

function intervalMs(limit: RequestLimit): number {
  return 60_000 / limit.requestsPerMinute;
}

function reading(limit: RequestLimit, fullInMs: number, allowed: boolean): BucketReading {
  const interval = intervalMs(limit);
  const free = limit.burst * interval - fullInMs;
  // Times are sums of fractions: without the margin a last bit would cost a request.
  const remaining = Math.max(0, Math.floor(free / interval + 1e-6));
  return { allowed, limit, remaining, fullInMs, nextInMs: Math.max(0, interval - free) };
}
