import { describe, expect, it } from "vitest";
import { decodeChatUsage } from "../../src/dialect/chat/usage.ts";
import { decodeMessagesUsage } from "../../src/dialect/messages/usage.ts";
import { decodeResponsesUsage } from "../../src/dialect/responses/usage.ts";

/** Counts by the names of all dialects. */
const counts = { prompt_tokens: 3, completion_tokens: 2, input_tokens: 3, output_tokens: 2 };

describe.each([
  ["chat", decodeChatUsage],
  ["messages", decodeMessagesUsage],
  ["responses", decodeResponsesUsage],
])("the usage object of a %s upstream", (_dialect, decode) => {
  it("is retained as it is", () => {
    const usage = { ...counts, vendor: { extra: 1 } };
    expect(decode(usage)).toMatchObject({ output: 2, raw: usage });
  });

  it("gives only its counts if its JSON is longer than 16 KiB", () => {
    const usage = { ...counts, vendor: "x".repeat(16 * 1024) };
    expect(decode(usage)).toMatchObject({ input: 3, output: 2, raw: undefined });
  });
});
