import type { RateLimitBucketState } from "../../platform/rate-limit/request-buckets.ts";

/** `anthropic-ratelimit-requests-*`; the reset is a time (RFC 3339), to the second, rounded up. */
export function buildMessagesRateLimitHeaders(
  reading: RateLimitBucketState,
  now: number,
): readonly string[] {
  return [
    "anthropic-ratelimit-requests-limit",
    `${reading.limit.burst}`,
    "anthropic-ratelimit-requests-remaining",
    `${reading.remaining}`,
    "anthropic-ratelimit-requests-reset",
    timeText(Math.ceil((now + reading.fullInMs) / 1000)),
  ];
}

let lastSecond = -1;
let lastText = "";

/** Kept for the other answers of the same second: to print a date costs what a key does. */
function timeText(second: number): string {
  if (second !== lastSecond) {
    lastSecond = second;
    lastText = new Date(second * 1000).toISOString().replace(".000Z", "Z");
  }
  return lastText;
}
