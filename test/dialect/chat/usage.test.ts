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
