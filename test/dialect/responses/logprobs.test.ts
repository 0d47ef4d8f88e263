import { describe, expect, it } from "vitest";
import { encodeResponsesLogprobs } from "../../../src/dialect/responses/logprobs.ts";

describe("encodeResponsesLogprobs()", () => {
  it("adds the bytes that an upstream left out", () => {
    const top = { token: "é", logprob: -2 };
    expect(
      encodeResponsesLogprobs([{ token: "a", logprob: -1, bytes: null, top_logprobs: [top] }]),
    ).toEqual([
      {
        token: "a",
        logprob: -1,
        bytes: [97],
        top_logprobs: [{ token: "é", logprob: -2, bytes: [195, 169] }],
      },
    ]);
  });

  it("adds no bytes to tokens that are larger than an answer", () => {
    const tokens = ["a", "b".repeat(1024 * 1024), "c"].map((token) => ({ token, logprob: -1 }));
    const bytes = encodeResponsesLogprobs(tokens).map((entry) => entry["bytes"]);
    expect(bytes).toEqual([[97], [], [99]]);
  });

  it("adds no more bytes to many tokens than to one", () => {
    const tokens = Array.from({ length: 1000 }, () => ({ token: "a".repeat(1024), logprob: -1 }));
    const added = encodeResponsesLogprobs(tokens).flatMap(({ bytes }) => bytes as number[]);
    expect(added).toHaveLength(256 * 1024);
  });
});
