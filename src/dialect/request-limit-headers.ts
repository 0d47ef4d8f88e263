import type { RateLimitBucketState } from "../platform/rate-limit/request-buckets.ts";

/** `x-ratelimit-*-requests` of chat and responses; the reset is a duration, `6s` or `120ms`. */
export function buildRequestRateLimitHeaders(reading: RateLimitBucketState): readonly string[] {
  return [
    "x-ratelimit-limit-requests",
    `${reading.limit.burst}`,
    "x-ratelimit-remaining-requests",
    `${reading.remaining}`,
    "x-ratelimit-reset-requests",
    duration(reading.fullInMs),
  ];
}

function duration(milliseconds: number): string {
  return milliseconds < 1000
    ? `${Math.ceil(milliseconds)}ms`
    : `${Math.ceil(milliseconds / 1000)}s`;
}
