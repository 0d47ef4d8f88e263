import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeChatUsage, encodeChatUsage } from "../../../src/dialect/chat/usage.ts";
import type { TokenUsage } from "../../../src/dialect/usage.ts";

const count = fc.option(fc.nat(1_000_000), { nil: undefined });
const someUsage = fc
  .record({
    input: fc.nat(1_000_000),
    cacheRead: count,
    cacheWrite: count,
    output: fc.nat(1_000_000),
    reasoning: count,
  })
  .map(({ reasoning, ...usage }): TokenUsage => {
    const within = reasoning === undefined ? undefined : Math.min(reasoning, usage.output);
    return { ...usage, reasoning: within };
  });

describe("property: usage of chat", () => {
  it("[sum.to-messages] prompt tokens are all input, whatever was cached", () => {
    fc.assert(
      fc.property(someUsage, (usage) => {
        const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0 } = usage;
        const told = encodeChatUsage(usage);
        expect(told["prompt_tokens"]).toBe(input + cacheRead + cacheWrite);
        expect(told["total_tokens"]).toBe(input + cacheRead + cacheWrite + output);
      }),
    );
  });

  it("reads back what it wrote", () => {
    fc.assert(
      fc.property(someUsage, (usage) => {
        expect(decodeChatUsage(encodeChatUsage(usage))).toMatchObject(usage);
      }),
    );
  });

  it("is whole and at least 0, whatever an upstream counts", () => {
    const anything = fc.oneof(fc.double(), fc.constantFrom(null, "7", undefined), fc.integer());
    const told = fc.record({
      prompt_tokens: anything,
      completion_tokens: anything,
      prompt_tokens_details: fc.record({ cached_tokens: anything, cache_write_tokens: anything }),
      completion_tokens_details: fc.record({ reasoning_tokens: anything }),
    });
    fc.assert(
      fc.property(told, (usage) => {
        const { raw: _raw, ...counts } = decodeChatUsage(usage) ?? {};
        for (const value of Object.values(counts)) {
          expect(value === undefined || (Number.isInteger(value) && value >= 0)).toBe(true);
        }
      }),
    );
  });
});

/** Usage of a vendor whose reasoning is no part of `completion_tokens`. */
const outside = (usage: object) => ({
  prompt_tokens: 32,
  completion_tokens: 9,
  total_tokens: 1041,
  completion_tokens_details: { reasoning_tokens: 1000 },
  ...usage,
});

describe("usage of chat whose total is more than prompt and completion", () => {
  it.each([
    ["is all of the rest", {}, 1009],
    ["is part of the rest", { total_tokens: 1050 }, 1009],
    ["has its older name", { completion_tokens_details: null, reasoning_tokens: 1000 }, 1009],
  ])("adds reasoning to the output if it %s", (_what, usage, output) => {
    expect(decodeChatUsage(outside(usage))).toMatchObject({ input: 32, output, reasoning: 1000 });
  });

  it("writes a consistent total for other callers", () => {
    expect(encodeChatUsage(decodeChatUsage(outside({})) ?? {})).toMatchObject({
      prompt_tokens: 32,
      completion_tokens: 1009,
      total_tokens: 1041,
      completion_tokens_details: { reasoning_tokens: 1000 },
    });
  });

  it.each([
    ["the sum fits", { completion_tokens: 1009 }, 1009],
    ["the reasoning is larger than the rest", { total_tokens: 1040 }, 9],
    ["no reasoning is reported", { completion_tokens_details: undefined }, 9],
    ["the total is too large for a count", { total_tokens: 1e13 }, 9],
    ["the total is no number", { total_tokens: "1041" }, 9],
    ["the total is negative", { total_tokens: -1041 }, 9],
    ["the prompt is not reported", { prompt_tokens: undefined }, 9],
    ["the reasoning is negative", { completion_tokens_details: { reasoning_tokens: -5 } }, 9],
    ["the reasoning is too large", { completion_tokens_details: { reasoning_tokens: 1e13 } }, 9],
  ])("keeps `completion_tokens` as the output if %s", (_what, usage, output) => {
    expect(decodeChatUsage(outside(usage))).toMatchObject({ output });
  });
});
