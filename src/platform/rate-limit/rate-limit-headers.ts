import type { RateLimitBucketState } from "./request-buckets.ts";

/** How a bucket stands, as header fields of an answer. */
export type RateLimitHeaders = Readonly<Record<"ratelimit-policy" | "ratelimit", string>>;

/** Header names and values in turn, as `writeHead` takes them. */
export type RawHeaderList = readonly string[];

/**
 * The `RateLimit` and `RateLimit-Policy` fields of an answer (structured fields,
 * draft-ietf-httpapi-ratelimit-headers): `q` requests fill the bucket, which
 * takes `w` seconds to fill; `r` are left, and it is full again in `t` seconds. Two
 * numbers in a form that never changes, on every answer: no library prints them.
 */
export function buildRateLimitHeaders(reading: RateLimitBucketState): RateLimitHeaders {
  const { requestsPerMinute, burst } = reading.limit;
  const window = Math.ceil((burst * 60) / requestsPerMinute);
  return {
    "ratelimit-policy": `"requests";q=${burst};w=${window}`,
    ratelimit: `"requests";r=${reading.remaining};t=${Math.ceil(reading.fullInMs / 1000)}`,
  };
}

/** The same as a list. */
export function buildRateLimitHeaderList(reading: RateLimitBucketState): RawHeaderList {
  const headers = buildRateLimitHeaders(reading);
  return ["ratelimit-policy", headers["ratelimit-policy"], "ratelimit", headers.ratelimit];
}

/** Whole seconds for `retry-after`, at least one. */
export function computeRetryAfterSeconds(reading: RateLimitBucketState): number {
  return Math.max(1, Math.ceil(reading.retryInMs / 1000));
}
