import { expect, it } from "vitest";
import { AccountProbeRateLimiter } from "../../../src/platform/endpoint/probe-budget.ts";
import { RateLimitBuckets } from "../../../src/platform/rate-limit/request-buckets.ts";

it("gives every account a hundred probes at once and one more each second", async () => {
  let now = 1_000_000;
  const budget = new AccountProbeRateLimiter(new RateLimitBuckets({ now: () => now }));
  for (let count = 0; count < 100; count++) await budget.take("a");
  await expect(budget.take("a")).rejects.toMatchObject({
    code: "rate_limited",
    status: 429,
    retryAfterSeconds: 1,
  });
  await budget.take("b");
  now += 1000;
  await budget.take("a");
  await expect(budget.take("a")).rejects.toThrow("Too many probes");
});
