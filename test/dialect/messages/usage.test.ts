import { describe, expect, it } from "vitest";
import { decodeMessagesUsage } from "../../../src/dialect/messages/usage.ts";

const compaction = { type: "compaction", input_tokens: 180_000, output_tokens: 3500 };
const message = { type: "message", input_tokens: 23_000, output_tokens: 1000 };

const usage = (iterations: unknown, more: object = {}) =>
  decodeMessagesUsage({ input_tokens: 23_000, output_tokens: 1000, iterations, ...more });

describe("usage of messages with iterations", () => {
  it("is the sum of the iterations if that is larger", () => {
    expect(usage([compaction, message])).toMatchObject({ input: 203_000, output: 4500 });
  });

  it("includes the caches of the iterations", () => {
    const cached = {
      ...compaction,
      cache_read_input_tokens: 70,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 0 },
    };
    expect(usage([cached, message], { cache_read_input_tokens: 5 })).toMatchObject({
      input: 203_000,
      cacheRead: 70,
      cacheWrite: 30,
      output: 4500,
    });
  });

  it.each([
    ["the iterations are less", [{ ...message, input_tokens: 1, output_tokens: 1 }]],
    ["there is one iteration with the same counts", [message]],
    ["the iterations are empty", []],
    ["the iterations are `null`", null],
    ["the iterations are no list", { ...compaction }],
    ["an iteration is no object", [7, null, "compaction", [compaction]]],
    ["the counts are no numbers", [{ input_tokens: "180000", output_tokens: null }]],
    ["the counts are negative", [{ input_tokens: -180_000, output_tokens: -1 }]],
    ["the sum is too large for a count", [{ input_tokens: 1e12 }, { input_tokens: 1e12 }]],
  ])("is what the top level reports if %s", (_what, iterations) => {
    expect(usage(iterations)).toMatchObject({
      input: 23_000,
      output: 1000,
      cacheRead: undefined,
      cacheWrite: undefined,
    });
  });
});
