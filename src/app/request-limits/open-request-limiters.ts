import { RateLimitBuckets } from "../../platform/rate-limit/request-buckets.ts";
import type { RequestRateLimiters } from "../../platform/rate-limit/request-limiter.ts";
import type { CleanupStack } from "../cleanup-stack.ts";
import type { RequestRateLimiterDependencies } from "./shared-request-limiters.ts";

/**
 * Buckets where the configuration wants them: in Redis, else in the memory of the
 * primary where there are several gateways, else in that of this process.
 */
export async function openRequestRateLimiters(
  dependencies: RequestRateLimiterDependencies,
  closers: CleanupStack,
): Promise<RequestRateLimiters> {
  const { configuration, clock, siblings } = dependencies;
  const { redis } = configuration;
  if (redis !== undefined) {
    const shared = import("./shared-request-limiters.ts").then(
      ({ openRedisRateLimiters: openSharedLimiters }) => openSharedLimiters(redis, dependencies),
    );
    // At once, because a start may fail before they are open.
    closers.add(async () => (await shared).close());
    return shared;
  }
  if (siblings !== undefined) {
    const { createPrimaryProcessRateLimiters: openPrimaryLimiters } =
      await import("./primary-request-limiters.ts");
    return openPrimaryLimiters(siblings, dependencies);
  }
  const here = () => new RateLimitBuckets(clock);
  return { keys: here(), addresses: here(), probes: here() };
}
