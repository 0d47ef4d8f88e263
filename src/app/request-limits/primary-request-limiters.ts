import { PrimaryBucketClient } from "../../platform/rate-limit/primary-buckets.ts";
import { RequestBuckets } from "../../platform/rate-limit/request-buckets.ts";
import type { RequestLimiters } from "../../platform/rate-limit/request-limiter.ts";
import type { RequestLimiterDependencies } from "./shared-request-limiters.ts";
import type { PeerProcesses } from "../peer-processes.ts";

/**
 * Buckets that the primary keeps for all gateway workers, by ids of which each
 * kind has its own. Addresses are counted by the tools service alone, which is one
 * process.
 */
export function createPrimaryProcessLimiters(
  { takeTokens: ask }: PeerProcesses,
  { clock, log, metrics: { rateLimit } }: RequestLimiterDependencies,
): RequestLimiters {
  const limiter = (bucket: keyof typeof rateLimit) =>
    new PrimaryBucketClient({
      ask,
      clock,
      onFallback: () => rateLimit[bucket].inc(),
      onChange: (failure) => {
        if (failure === undefined) log.info({ bucket }, "the buckets of all workers decide again");
        else log.warn({ err: failure, bucket }, "the buckets of this worker alone decide");
      },
    });
  return { keys: limiter("keys"), addresses: new RequestBuckets(clock), probes: limiter("probes") };
}
