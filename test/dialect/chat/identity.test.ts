import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { decode, encode } from "./contexts.ts";

const parameters = { type: "object", properties: { q: { const: "x" } }, required: ["q"] };
const image = {
  type: "image_url",
  image_url: { url: "data:image/png;base64,AAAA", detail: "high" },
};
const breakpoint = { prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } };
const firstParty = {
  maxTokensField: "max_completion_tokens",
  firstParty: true,
  midConversationSystem: "native",
  promptCache: true,
  topK: true,
} as const;

const fixtures: Readonly<Record<string, JsonObject>> = {
  hello: { messages: [{ role: "user", content: "hi" }] },
  "every parameter": {
    messages: [{ role: "user", content: "hi", name: "u" }],
    response_format: {
      type: "json_schema",
      json_schema: { name: "n", description: "d", schema: parameters, strict: true },
    },
    reasoning_effort: "high",
    verbosity: "low",
    max_completion_tokens: 100,
    temperature: 1.5,
    top_p: 0.9,
    top_k: 5,
    presence_penalty: 1,
    frequency_penalty: -1,
    seed: 7,
    stop: ["a", "b"],
    logprobs: true,
    top_logprobs: 2,
    safety_identifier: "s",
    metadata: { a: "b" },
    service_tier: "flex",
    logit_bias: { 5: 1 },
    prediction: { type: "content", content: "x" },
    prompt_cache_key: "k",
    shiny: { new: true },
    stream: true,
    stream_options: { include_usage: true, include_obfuscation: false },
  },
  conversation: {
    messages: [
      { role: "system", content: "s" },
      { role: "user", content: [{ type: "text", text: "look" }, image] },
      {
        role: "assistant",
        content: "calling",
        tool_calls: [
          { id: "1", type: "function", function: { name: "f", arguments: '{"q":"x"}' } },
          { id: "2", type: "custom", custom: { name: "p", input: "text" } },
        ],
      },
      { role: "tool", tool_call_id: "1", content: "ok" },
      { role: "tool", tool_call_id: "2", content: "" },
      { role: "system", content: "later" },
      { role: "assistant", content: null, refusal: "no" },
      {
        role: "user",
        content: [
          {
            type: "file",
            file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" },
          },
        ],
      },
      {
        role: "user",
        content: [
          { type: "file", file: { file_id: "file_1" } },
          { type: "video_url", video_url: {} },
        ],
      },
    ],
    tools: [
      { type: "function", function: { name: "f", description: "d", parameters, strict: true } },
      {
        type: "custom",
        custom: {
          name: "p",
          format: { type: "grammar", grammar: { definition: "x", syntax: "lark" } },
        },
      },
      { type: "browser", x: 1 },
    ],
    tool_choice: {
      type: "allowed_tools",
      allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "f" } }] },
    },
    parallel_tool_calls: true,
  },
  "cache breakpoints": {
    messages: [
      { role: "system", content: [{ type: "text", text: "s", ...breakpoint }] },
      {
        role: "user",
        content: [
          { type: "text", text: "a", ...breakpoint },
          { ...image, ...breakpoint },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "b", ...breakpoint }] },
    ],
    prompt_cache_options: { mode: "explicit" },
  },
  "named choice": {
    messages: [{ role: "user", content: "hi" }],
    tools: [{ type: "custom", custom: { name: "p" } }],
    tool_choice: { type: "custom", custom: { name: "p" } },
  },
};

describe("a chat request, read and written for a first-party server", () => {
  it.each(Object.entries(fixtures))("is the same: %s", (_, fixture) => {
    const { body, losses } = encode(decode({ model: "lab-1", ...fixture }).turn, firstParty);
    expect(body).toEqual({ model: "lab-1", ...fixture });
    expect(losses).toEqual([]);
  });

  it.each(Object.entries(fixtures))(
    "[request.stable] has the same bytes each time: %s",
    (_, fixture) => {
      const write = () => JSON.stringify(encode(decode({ model: "lab-1", ...fixture }).turn).body);
      expect(write()).toBe(write());
    },
  );

  it("reads back what it wrote for a compatible server", () => {
    const once = encode(decode({ model: "lab-1", ...fixtures["conversation"] }).turn).body;
    const twice = encode(decode(once).turn).body;
    expect(twice).toEqual(once);
  });
});
