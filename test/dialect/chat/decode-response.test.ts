import { describe, expect, it } from "vitest";
import { chatCodec } from "../../../src/dialect/chat/codec.ts";
import { neutralEventsToResponse } from "../../../src/dialect/neutral-response.ts";
import { MalformedResponseError } from "../../../src/dialect/codec.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";

function read(message: JsonObject, choice: JsonObject = {}, rest: JsonObject = {}) {
  const choices = [{ index: 0, message, finish_reason: "stop", ...choice }];
  return neutralEventsToResponse(chatCodec.decodeResponse({ choices, ...rest }, { stop: ["END"] }));
}

describe("an upstream's whole answer", () => {
  it("is thoughts, words, refusal and calls, in this order", () => {
    const { parts, end } = read(
      {
        tool_calls: [
          { id: "a", type: "function", function: { name: "f", arguments: "{}" } },
          { id: "b", type: "custom", custom: { name: "p", input: "text" } },
        ],
        refusal: "no",
        content: "hi",
        reasoning_content: "hm",
      },
      { finish_reason: "tool_calls" },
    );
    expect(parts).toEqual([
      { type: "reasoning", texts: ["hm"], encrypted: { dialect: "dialect_chat", kind: "plain" } },
      { type: "text", text: "hi", logprobs: [], citations: [] },
      { type: "refusal", text: "no", logprobs: [], citations: [] },
      {
        type: "tool-call",
        kind: "function",
        id: "a",
        name: "f",
        namespace: undefined,
        arguments: "{}",
      },
      {
        type: "tool-call",
        kind: "custom",
        id: "b",
        name: "p",
        namespace: undefined,
        arguments: "text",
      },
    ]);
    expect(end).toEqual({ type: "response-end", reason: "tool-calls", raw: "tool_calls" });
  });

  it("has no empty parts", () => {
    expect(read({ content: null, refusal: null }).parts).toEqual([]);
    expect(read({ content: "" }).parts).toEqual([]);
  });

  it.each([
    ["stop", "end"],
    ["length", "length"],
    ["tool_calls", "tool-calls"],
    ["function_call", "tool-calls"],
    ["content_filter", "refusal"],
    ["model_length", "length"],
    ["max_tokens", "length"],
    ["eos_token", "unknown"],
    [null, "end"],
  ])("finish_reason %s is %s", (raw, reason) => {
    expect(read({ content: "a" }, { finish_reason: raw }).end).toEqual({
      type: "response-end",
      reason,
      raw: raw ?? undefined,
    });
  });

  it("stop with calls means the calls", () => {
    const tool_calls = [{ id: "a", function: { name: "f", arguments: "{}" } }];
    expect(read({ tool_calls }).end?.reason).toBe("tool-calls");
    expect(read({ tool_calls }, { finish_reason: "eos_token" }).end?.reason).toBe("tool-calls");
    expect(read({ tool_calls }, { finish_reason: "length" }).end?.reason).toBe("length");
  });

  it("a refusal is one whatever the reason says", () => {
    expect(read({ refusal: "no" }).end?.reason).toBe("refusal");
  });

  it("tells the stop sequence that was met", () => {
    expect(read({ content: "a" }, { stop_reason: "END" }).end).toMatchObject({
      reason: "stop-sequence",
      stopSequence: "END",
    });
    expect(read({ content: "a" }, { stop_reason: "eos" }).end).toMatchObject({ reason: "end" });
    expect(read({ content: "a" }, { stop_reason: 32 }).end).toMatchObject({ reason: "end" });
  });

  it("reads sources and probabilities", () => {
    const url_citation = { url: "u", title: "t", start_index: 1, end_index: 2 };
    const token = { token: "a", logprob: -1, bytes: [97], top_logprobs: [] };
    const { parts } = read(
      { content: "a", annotations: [{ type: "url_citation", url_citation }] },
      { logprobs: { content: [token] } },
    );
    expect(parts).toEqual([
      {
        type: "text",
        text: "a",
        logprobs: [token],
        citations: [{ url: "u", title: "t", citedText: undefined, start: 1, end: 2 }],
      },
    ]);
  });

  it("an error in a body of status 200 is an error", () => {
    expect(
      neutralEventsToResponse(
        chatCodec.decodeResponse({ error: { message: "m", code: "c" } }, { stop: [] }),
      ),
    ).toEqual({
      parts: [],
      end: undefined,
      error: { type: undefined, code: "c", message: "m" },
      usage: undefined,
    });
  });

  it("an answer that was given up is an error", () => {
    expect(read({ content: "a" }, { finish_reason: "error" })).toMatchObject({
      parts: [],
      end: undefined,
      error: { code: "error" },
    });
  });

  it.each([
    [{}],
    [{ choices: [] }],
    [{ choices: [{ index: 0 }] }],
    [{ choices: [{ message: { tool_calls: [{ id: "a", function: {} }] } }] }],
  ])("refuses %j, which is no answer", (body) => {
    expect(() => chatCodec.decodeResponse(body, { stop: [] })).toThrow(MalformedResponseError);
  });
});

describe("usage", () => {
  const usage = {
    prompt_tokens: 2307,
    completion_tokens: 50,
    total_tokens: 2357,
    prompt_tokens_details: { cached_tokens: 2000, cache_write_tokens: 300 },
    completion_tokens_details: { reasoning_tokens: 30 },
  };

  it("[sum.to-messages] input is a partition", () => {
    expect(read({ content: "a" }, {}, { usage }).usage).toEqual({
      input: 7,
      cacheRead: 2000,
      cacheWrite: 300,
      output: 50,
      reasoning: 30,
      raw: usage,
    });
  });

  it("what is not told is not 0", () => {
    const told = { prompt_tokens: 5, completion_tokens: 1 };
    expect(read({ content: "a" }, {}, { usage: told }).usage).toEqual({
      input: 5,
      cacheRead: undefined,
      cacheWrite: undefined,
      output: 1,
      reasoning: undefined,
      raw: told,
    });
    expect(read({ content: "a" }, {}, { usage: null }).usage).toBeUndefined();
    expect(read({ content: "a" }).usage).toBeUndefined();
  });

  it("never goes below 0, nor reasoning above the output", () => {
    const odd = {
      prompt_tokens: 5,
      completion_tokens: 4,
      prompt_tokens_details: { cached_tokens: 9 },
      completion_tokens_details: { reasoning_tokens: 9 },
    };
    expect(read({ content: "a" }, {}, { usage: odd }).usage).toMatchObject({
      input: 0,
      cacheRead: 9,
      reasoning: 4,
    });
  });

  it("reads the cache hits of servers that count them apart", () => {
    const told = { prompt_tokens: 10, prompt_cache_hit_tokens: 4, completion_tokens: 1 };
    expect(read({ content: "a" }, {}, { usage: told }).usage).toMatchObject({
      input: 6,
      cacheRead: 4,
    });
  });
});
