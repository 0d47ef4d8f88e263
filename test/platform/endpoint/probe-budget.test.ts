import { expect, it } from "vitest";
import { ProbeBudget } from "../../../src/platform/endpoint/probe-budget.ts";

it("gives every account a hundred probes at once and one more each second", () => {
  let now = 1_000_000;
  const budget = new ProbeBudget({ now: () => now });
  for (let count = 0; count < 100; count++) budget.take("a");
  expect(() => budget.take("a")).toThrow(
    expect.objectContaining({ code: "rate_limited", status: 429, retryAfterSeconds: 1 }),
  );
  expect(() => budget.take("b")).not.toThrow();
  now += 1000;
  expect(() => budget.take("a")).not.toThrow();
  expect(() => budget.take("a")).toThrow("Too many probes");
});
