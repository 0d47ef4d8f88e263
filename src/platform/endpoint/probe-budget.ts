import type { Clock } from "../clock.ts";
import { ApiError } from "../errors.ts";
import { retryAfterSeconds } from "../rate-limit/rate-limit-fields.ts";
import { RequestBuckets, type RequestLimit } from "../rate-limit/request-buckets.ts";

const limit: RequestLimit = { requestsPerMinute: 60, burst: 100 };

/**
 * How often an account may probe: a probe dials where a caller says, so that
 * without a limit it is a port scanner.
 */
export class ProbeBudget {
  readonly #buckets: RequestBuckets;

  constructor(clock: Clock) {
    this.#buckets = new RequestBuckets(clock);
  }

  /** Takes one probe of the account's. Throws 429 `rate_limited` when there is none. */
  take(accountId: string): void {
    const reading = this.#buckets.take(accountId, limit);
    if (reading.allowed) return;
    throw new ApiError("rate_limited", "Too many probes of endpoints in too short a time.", {
      retryAfterSeconds: retryAfterSeconds(reading),
    });
  }
}
