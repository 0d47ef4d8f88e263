import { RequestBuckets } from "../platform/rate-limit/request-buckets.ts";
import type { RequestLimiters } from "../platform/rate-limit/request-limiter.ts";
import type { Closers } from "./closers.ts";
import type { RequestLimiterParts } from "./shared-request-limiters.ts";

/** Buckets where the configuration wants them: in the memory of this process, or in Redis. */
export async function openRequestLimiters(
  parts: RequestLimiterParts,
  closers: Closers,
): Promise<RequestLimiters> {
  const { configuration, clock } = parts;
  const { redis } = configuration;
  if (redis === undefined) {
    return { keys: new RequestBuckets(clock), addresses: new RequestBuckets(clock) };
  }
  const { openSharedLimiters } = await import("./shared-request-limiters.ts");
  return openSharedLimiters(redis, parts, closers);
}
