import type { BucketReading } from "../../platform/rate-limit/request-buckets.ts";

/** `anthropic-ratelimit-requests-*`; the reset is a time (RFC 3339), to the second, rounded up. */
export function messagesLimitHeaders(reading: BucketReading, now: number): readonly string[] {
  const reset = new Date(Math.ceil((now + reading.fullInMs) / 1000) * 1000);
  return [
    "anthropic-ratelimit-requests-limit",
    `${reading.limit.burst}`,
    "anthropic-ratelimit-requests-remaining",
    `${reading.remaining}`,
    "anthropic-ratelimit-requests-reset",
    reset.toISOString().replace(".000Z", "Z"),
  ];
}
