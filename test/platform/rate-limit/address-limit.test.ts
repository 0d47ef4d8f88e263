import { describe, expect, it } from "vitest";
import { AddressRateLimiter } from "../../../src/platform/rate-limit/address-limit.ts";
import { RateLimitBuckets } from "../../../src/platform/rate-limit/request-buckets.ts";

function limitOf(burst: number): { limit: AddressRateLimiter; clock: { at: number } } {
  const clock = { at: 0 };
  const buckets = new RateLimitBuckets({ now: () => clock.at });
  return { limit: new AddressRateLimiter(buckets, { requestsPerMinute: 60, burst }), clock };
}

describe("a limit by address", () => {
  it("lets a burst through, then says when to come back, and opens again", () => {
    const { limit, clock } = limitOf(2);
    expect(limit.take("192.0.2.1")).toEqual({
      "ratelimit-policy": '"requests";q=2;w=2',
      ratelimit: '"requests";r=1;t=1',
    });
    void limit.take("192.0.2.1");
    expect(() => limit.take("192.0.2.1")).toThrow(
      expect.objectContaining({
        code: "rate_limited",
        status: 429,
        retryAfterSeconds: 1,
        headers: expect.objectContaining({ ratelimit: '"requests";r=0;t=2' }),
      }),
    );
    clock.at = 1000;
    expect(limit.take("192.0.2.1")).toHaveProperty("ratelimit");
  });

  it("takes what a bucket elsewhere says later just the same", async () => {
    const buckets = new RateLimitBuckets({ now: () => 0 });
    const limit = new AddressRateLimiter(
      {
        take: (id, requests) => Promise.resolve(buckets.take(id, requests)),
        peek: (id, requests) => buckets.peek(id, requests),
      },
      { requestsPerMinute: 60, burst: 1 },
    );
    expect(await limit.take("192.0.2.1")).toEqual({
      "ratelimit-policy": '"requests";q=1;w=1',
      ratelimit: '"requests";r=0;t=1',
    });
    await expect(limit.take("192.0.2.1")).rejects.toMatchObject({
      code: "rate_limited",
      headers: { ratelimit: '"requests";r=0;t=1' },
    });
  });

  it.each([
    ["192.0.2.1", "192.0.2.2", false],
    ["192.0.2.1", "::ffff:192.0.2.1", true],
    ["2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true],
    ["2001:db8:0:1::1", "2001:db8:0:2::1", false],
    ["::1", "::2", true],
    ["", "192.0.2.1", false],
  ])("%s and %s have one bucket: %s", (first, second, isOne) => {
    const { limit } = limitOf(1);
    void limit.take(first);
    const take = () => limit.take(second);
    if (isOne) expect(take).toThrow("may make");
    else expect(take()).toHaveProperty("ratelimit");
  });
});
