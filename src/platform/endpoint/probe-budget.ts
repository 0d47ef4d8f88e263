import type { Clock } from "../clock.ts";
import { ApiError } from "../errors.ts";

interface Bucket {
  tokens: number;
  filledAt: number;
}

const burst = 100;
const perSecond = 1;
const largestAccounts = 10_000;

/**
 * A token bucket of probes per account: a probe dials where a caller says, so
 * that without a limit it is a port scanner.
 */
export class ProbeBudget {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes one probe of the account's. Throws 429 `rate_limited` when there is none. */
  take(accountId: string): void {
    const bucket = this.#refilled(accountId);
    if (bucket.tokens < 1) throw this.#refusal(bucket);
    bucket.tokens -= 1;
  }

  #refilled(accountId: string): Bucket {
    const now = this.#clock.now();
    const known = this.#buckets.get(accountId) ?? { tokens: burst, filledAt: now };
    const gained = (Math.max(0, now - known.filledAt) / 1000) * perSecond;
    const bucket = { tokens: Math.min(burst, known.tokens + gained), filledAt: now };
    this.#remember(accountId, bucket);
    return bucket;
  }

  /** Keeps the accounts that probed last; a forgotten one starts with a full bucket. */
  #remember(accountId: string, bucket: Bucket): void {
    this.#buckets.delete(accountId);
    this.#buckets.set(accountId, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > largestAccounts && oldest !== undefined) this.#buckets.delete(oldest);
  }

  #refusal(bucket: Bucket): ApiError {
    return new ApiError("rate_limited", "Too many probes of endpoints in too short a time.", {
      retryAfterSeconds: Math.ceil((1 - bucket.tokens) / perSecond),
    });
  }
}
