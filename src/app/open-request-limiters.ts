import type { Clock } from "../platform/clock.ts";
import { RequestBuckets } from "../platform/rate-limit/request-buckets.ts";
import type { RequestLimiters } from "../platform/rate-limit/request-limiter.ts";

/** Buckets in the memory of this process. */
export function localRequestLimiters(clock: Clock): RequestLimiters {
  return { keys: new RequestBuckets(clock), addresses: new RequestBuckets(clock) };
}
