import { RequestBuckets } from "../../platform/rate-limit/request-buckets.ts";
import type { RequestLimiters } from "../../platform/rate-limit/request-limiter.ts";
import type { CleanupStack } from "../cleanup-stack.ts";
import type { RequestLimiterDependencies } from "./shared-request-limiters.ts";

/**
 * Buckets where the configuration wants them: in Redis, else in the memory of the
 * primary where there are several gateways, else in that of this process.
 */
export async function openRequestLimiters(
  dependencies: RequestLimiterDependencies,
  closers: CleanupStack,
): Promise<RequestLimiters> {
  const { configuration, clock, siblings } = dependencies;
  const { redis } = configuration;
  if (redis !== undefined) {
    const shared = import("./shared-request-limiters.ts").then(
      ({ openRedisRequestLimiters: openSharedLimiters }) => openSharedLimiters(redis, dependencies),
    );
    // At once, because a start may fail before they are open.
    closers.add(async () => (await shared).close());
    return shared;
  }
  if (siblings !== undefined) {
    const { createPrimaryProcessLimiters: openPrimaryLimiters } =
      await import("./primary-request-limiters.ts");
    return openPrimaryLimiters(siblings, dependencies);
  }
  const here = () => new RequestBuckets(clock);
  return { keys: here(), addresses: here(), probes: here() };
}
