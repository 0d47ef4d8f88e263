import { describe, expect, it } from "vitest";
import {
  buildRateLimitHeaderList,
  computeRetryAfterSeconds,
} from "../../../src/platform/rate-limit/rate-limit-headers.ts";
import { RateLimitBuckets } from "../../../src/platform/rate-limit/request-buckets.ts";

const limit = { requestsPerMinute: 60, burst: 3 };

function bucketsAt(start: number) {
  const clock = { time: start, now: () => clock.time };
  return { clock, buckets: new RateLimitBuckets(clock) };
}

describe("RateLimitBuckets", () => {
  it("[rate.bucket] lets a burst through, then one request per interval", () => {
    const { clock, buckets } = bucketsAt(1_000_000);
    const allowed = [1, 2, 3, 4].map(() => buckets.take("a", limit).allowed);
    expect(allowed).toEqual([true, true, true, false]);
    clock.time += 999;
    expect(buckets.take("a", limit).allowed).toBe(false);
    clock.time += 1;
    expect(buckets.take("a", limit).allowed).toBe(true);
    expect(buckets.take("a", limit).allowed).toBe(false);
  });

  it("tells what is left, when it is full and when the next may come", () => {
    const { clock, buckets } = bucketsAt(5000);
    expect(buckets.peek("a", limit)).toMatchObject({ remaining: 3, fullInMs: 0, retryInMs: 0 });
    expect(buckets.take("a", limit)).toMatchObject({ remaining: 2, fullInMs: 1000, retryInMs: 0 });
    buckets.take("a", limit);
    buckets.take("a", limit);
    clock.time += 250;
    expect(buckets.take("a", limit)).toMatchObject({
      allowed: false,
      remaining: 0,
      fullInMs: 2750,
      retryInMs: 750,
    });
  });

  it("does not count what it refuses or what is only looked at", () => {
    const { clock, buckets } = bucketsAt(0);
    for (let index = 0; index < 10; index++) buckets.take("a", limit);
    clock.time += 1000;
    expect(buckets.peek("a", limit).remaining).toBe(1);
    expect(buckets.peek("a", limit).remaining).toBe(1);
    expect(buckets.take("a", limit).allowed).toBe(true);
  });

  it("keeps ids apart", () => {
    const { buckets } = bucketsAt(0);
    for (let index = 0; index < 3; index++) buckets.take("a", limit);
    expect(buckets.take("a", limit).allowed).toBe(false);
    expect(buckets.take("b", limit).allowed).toBe(true);
  });

  it("gives every request of a burst although intervals are fractions", () => {
    const { buckets } = bucketsAt(1_800_000_000_000);
    const odd = { requestsPerMinute: 7, burst: 70 };
    const allowed = Array.from({ length: 71 }, () => buckets.take("a", odd).allowed);
    expect(allowed.filter(Boolean)).toHaveLength(70);
  });

  it("lacks as many requests as before when its limit changes, at most all of them", () => {
    const { buckets } = bucketsAt(1_000_000);
    const narrow = { requestsPerMinute: 1, burst: 60 };
    for (let index = 0; index < 60; index++) buckets.take("a", narrow);
    const wide = { requestsPerMinute: 60, burst: 100 };
    expect(buckets.peek("a", wide)).toMatchObject({ remaining: 40, fullInMs: 60_000 });
    expect(buckets.take("a", wide)).toMatchObject({ allowed: true, remaining: 39 });
    expect(buckets.take("a", limit)).toMatchObject({ allowed: false, retryInMs: 1000 });
  });

  it("forgets full buckets when many have come", () => {
    const { clock, buckets } = bucketsAt(0);
    for (let index = 0; index < 10_001; index++) {
      clock.time += 2000;
      buckets.take(`key_${index}`, limit);
    }
    expect(buckets.size).toBeLessThan(10);
  });
});

describe("rateLimitHeaderList()", () => {
  it("prints structured fields", () => {
    const { buckets } = bucketsAt(0);
    const reading = buckets.take("a", { requestsPerMinute: 600, burst: 60 });
    expect(buildRateLimitHeaderList(reading)).toEqual([
      "ratelimit-policy",
      '"requests";q=60;w=6',
      "ratelimit",
      '"requests";r=59;t=1',
    ]);
  });
});

describe("retryAfterSeconds()", () => {
  it("rounds up, to at least one second", () => {
    const { buckets } = bucketsAt(0);
    const slow = { requestsPerMinute: 40, burst: 1 };
    expect(computeRetryAfterSeconds(buckets.take("a", slow))).toBe(2);
    expect(computeRetryAfterSeconds(buckets.peek("b", slow))).toBe(1);
  });
});
