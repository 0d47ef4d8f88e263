import { ApiError } from "../errors.ts";
import { computeRetryAfterSeconds } from "../rate-limit/rate-limit-headers.ts";
import type { RequestRateLimit } from "../rate-limit/request-buckets.ts";
import type { RequestRateLimiter } from "../rate-limit/request-limiter.ts";

const limit: RequestRateLimit = { requestsPerMinute: 60, burst: 100 };

/**
 * How often an account may probe: a probe dials where a caller says, so that
 * without a limit it is a port scanner.
 */
export class AccountProbeRateLimiter {
  readonly #buckets: RequestRateLimiter;

  constructor(buckets: RequestRateLimiter) {
    this.#buckets = buckets;
  }

  /** Takes one probe of the account's. Rejects with 429 `rate_limited` when there is none. */
  async take(accountId: string): Promise<void> {
    const reading = await this.#buckets.take(accountId, limit);
    if (reading.allowed) return;
    throw new ApiError("rate_limited", "Too many probes of endpoints in too short a time.", {
      retryAfterSeconds: computeRetryAfterSeconds(reading),
    });
  }
}
