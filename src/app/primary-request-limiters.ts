import { PrimaryBuckets } from "../platform/rate-limit/primary-buckets.ts";
import { RequestBuckets } from "../platform/rate-limit/request-buckets.ts";
import type { RequestLimiters } from "../platform/rate-limit/request-limiter.ts";
import type { RequestLimiterParts } from "./shared-request-limiters.ts";
import type { Siblings } from "./siblings.ts";

/**
 * Buckets of keys that the primary keeps for all gateway workers. Addresses are
 * counted by the tools service alone, which is one process.
 */
export function openPrimaryLimiters(
  { askTakes }: Siblings,
  { clock, log, metrics: { rateLimit } }: RequestLimiterParts,
): RequestLimiters {
  const keys = new PrimaryBuckets({
    ask: askTakes,
    clock,
    onStandIn: () => void rateLimit.keys.value++,
    onChange: (failure) => {
      if (failure === undefined) log.info("the request buckets of all workers decide again");
      else log.warn({ err: failure }, "the request buckets of this worker alone decide");
    },
  });
  return { keys, addresses: new RequestBuckets(clock) };
}
