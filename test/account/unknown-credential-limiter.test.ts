import { describe, expect, it } from "vitest";
import { UnknownCredentialRateLimiter } from "../../src/account/unknown-credential-limiter.ts";

const tooMany = expect.objectContaining({ code: "rate_limited", retryAfterSeconds: 1 });
const unknown = () => Promise.resolve(undefined);
const found = () => Promise.resolve("a key");

function budgetOf(burst: number) {
  const clock = { at: 0, now: () => clock.at };
  return { budget: new UnknownCredentialRateLimiter(clock, { burst, refillMs: 1000 }), clock };
}

describe("a budget of look-ups", () => {
  it("is spent by what is unknown, and regained with time", async () => {
    const { budget, clock } = budgetOf(2);
    await budget.spend("192.0.2.1", unknown);
    await budget.spend("192.0.2.1", unknown);
    await expect(budget.spend("192.0.2.1", found)).rejects.toEqual(tooMany);
    clock.at = 999;
    await expect(budget.spend("192.0.2.1", found)).rejects.toEqual(tooMany);
    clock.at = 1000;
    expect(await budget.spend("192.0.2.1", found)).toBe("a key");
  });

  it("does not grow beyond what it is", async () => {
    const { budget, clock } = budgetOf(1);
    clock.at = 1_000_000;
    for (let count = 0; count < 5; count++) await budget.spend("192.0.2.1", found);
    await budget.spend("192.0.2.1", unknown);
    await expect(budget.spend("192.0.2.1", unknown)).rejects.toEqual(tooMany);
  });

  it("is given back where nothing could be found out", async () => {
    const { budget } = budgetOf(1);
    const failing = () => Promise.reject(new Error("away"));
    await expect(budget.spend("192.0.2.1", failing)).rejects.toThrow("away");
    await expect(budget.spend("192.0.2.1", failing)).rejects.toThrow("away");
  });

  it("belongs to a network of version 6, and to nobody whose address is not known", async () => {
    const { budget } = budgetOf(1);
    await budget.spend("2001:db8:0:1::1", unknown);
    await expect(budget.spend("2001:db8:0:1::2", unknown)).rejects.toEqual(tooMany);
    for (let count = 0; count < 5; count++) await budget.spend(undefined, unknown);
  });
});
