import type { Clock } from "../platform/clock.ts";
import { ApiError } from "../platform/errors.ts";
import { toRateLimitNetwork } from "../platform/rate-limit/address-limit.ts";

/** How many unknown credentials a network may have looked up. */
export interface UnknownCredentialRateLimit {
  /** In one go. */
  readonly burst: number;
  /** Milliseconds after which one more is allowed. */
  readonly refillMs: number;
}

const defaultLimit: UnknownCredentialRateLimit = { burst: 2000, refillMs: 100 };
/** Networks are looked through for those with a whole budget when this many more have come. */
const evictAfter = 10_000;

interface Bucket {
  left: number;
  /** When `left` was worked out; milliseconds since the epoch. */
  at: number;
}

/**
 * How often a network may have a credential looked up in the database that turns
 * out to be none: well-formed keys are easily made up, and each new one would be a
 * query. Only what was never seen here is counted, and what is found is given
 * back, so that callers behind one address pay nothing for keys that are real.
 */
export class UnknownCredentialRateLimiter {
  readonly #clock: Clock;
  readonly #allowance: UnknownCredentialRateLimit;
  readonly #purses = new Map<string, Bucket>();
  #sweepAt = evictAfter;

  constructor(clock: Clock, allowance = defaultLimit) {
    this.#clock = clock;
    this.#allowance = allowance;
  }

  /**
   * Looks a credential up at the expense of an address; undefined, none is known.
   * Rejects with 429 `rate_limited`, without a look-up, when too many of its
   * credentials were unknown.
   */
  async spend<Found>(
    address: string | undefined,
    lookUp: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    if (address === undefined) return lookUp();
    const purse = this.#take(toRateLimitNetwork(address));
    let isUnknown = false;
    try {
      const found = await lookUp();
      isUnknown = found === undefined;
      return found;
    } finally {
      if (!isUnknown) purse.left += 1;
    }
  }

  #take(network: string): Bucket {
    const { burst, refillMs: regainMs } = this.#allowance;
    const purse = this.#purse(network);
    const now = this.#clock.now();
    purse.left = Math.min(burst, purse.left + Math.max(0, now - purse.at) / regainMs);
    purse.at = now;
    if (purse.left < 1) throw tooManyUnknownError();
    purse.left -= 1;
    return purse;
  }

  #purse(network: string): Bucket {
    const known = this.#purses.get(network);
    if (known !== undefined) return known;
    if (this.#purses.size >= this.#sweepAt) this.#sweep();
    const purse = { left: this.#allowance.burst, at: this.#clock.now() };
    this.#purses.set(network, purse);
    return purse;
  }

  #sweep(): void {
    const { burst, refillMs: regainMs } = this.#allowance;
    const fullSince = this.#clock.now() - burst * regainMs;
    for (const [network, { at }] of this.#purses) {
      if (at <= fullSince) this.#purses.delete(network);
    }
    this.#sweepAt = this.#purses.size + evictAfter;
  }
}

/** Not 401: a credential that is real and was not seen here yet would be called bad. */
function tooManyUnknownError(): ApiError {
  return new ApiError(
    "rate_limited",
    "Too many unknown credentials came from this address; wait 1 s.",
    { retryAfterSeconds: 1 },
  );
}
