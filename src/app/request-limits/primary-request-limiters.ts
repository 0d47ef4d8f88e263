import { PrimaryProcessRateLimiter } from "../../platform/rate-limit/primary-buckets.ts";
import { RateLimitBuckets } from "../../platform/rate-limit/request-buckets.ts";
import type { RequestRateLimiters } from "../../platform/rate-limit/request-limiter.ts";
import type { RequestRateLimiterDependencies } from "./shared-request-limiters.ts";
import type { PrimaryProcessClient } from "../peer-processes.ts";

/**
 * Buckets that the primary keeps for all gateway workers, by ids of which each
 * kind has its own. Addresses are counted by the tools service alone, which is one
 * process.
 */
export function createPrimaryProcessRateLimiters(
  { takeTokens: ask }: PrimaryProcessClient,
  { clock, log, metrics: { rateLimit } }: RequestRateLimiterDependencies,
): RequestRateLimiters {
  const limiter = (bucket: keyof typeof rateLimit) =>
    new PrimaryProcessRateLimiter({
      ask,
      clock,
      onFallback: () => rateLimit[bucket].inc(),
      onChange: (failure) => {
        if (failure === undefined) log.info({ bucket }, "the buckets of all workers decide again");
        else log.warn({ err: failure, bucket }, "the buckets of this worker alone decide");
      },
    });
  return {
    keys: limiter("keys"),
    addresses: new RateLimitBuckets(clock),
    probes: limiter("probes"),
  };
}
