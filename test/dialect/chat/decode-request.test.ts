import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { decode } from "./contexts.ts";

const hello = { role: "user", content: "hi" };

function read(rest: JsonObject = {}) {
  return decode({ model: "m", messages: [hello], ...rest }).turn;
}

function refusal(param: string) {
  return expect.objectContaining({ code: "invalid_request", param }) as Error;
}

describe("parameters of a chat request", () => {
  it("[request.refused] needs a model and messages", () => {
    expect(() => decode({ messages: [hello] })).toThrow(refusal("model"));
    expect(() => decode({ model: "m" })).toThrow(refusal("messages"));
    expect(() => decode({ model: "m", messages: [] })).toThrow(refusal("messages"));
  });

  it("reads each with its place", () => {
    expect(
      read({
        temperature: 0.5,
        top_p: 0.9,
        top_k: 4,
        presence_penalty: 1,
        frequency_penalty: -1,
        seed: 7,
        max_completion_tokens: 100,
        stop: "END",
        logprobs: true,
        top_logprobs: 3,
        user: "u",
        service_tier: "flex",
        verbosity: "low",
        metadata: { a: "b" },
        reasoning_effort: "high",
        parallel_tool_calls: false,
        stream: true,
        stream_options: { include_usage: true },
      }),
    ).toMatchObject({
      origin: "dialect_chat",
      model: "m",
      isStream: true,
      wantsStreamUsage: true,
      parallelToolCalls: false,
      sampling: {
        temperature: { path: "temperature", value: 0.5 },
        topP: { path: "top_p", value: 0.9 },
        topK: { path: "top_k", value: 4 },
        presencePenalty: { path: "presence_penalty", value: 1 },
        frequencyPenalty: { path: "frequency_penalty", value: -1 },
        seed: { path: "seed", value: 7 },
      },
      maxOutputTokens: { path: "max_completion_tokens", value: 100 },
      stop: { path: "stop", value: ["END"] },
      logprobs: { path: "logprobs", value: { top: 3 } },
      user: { path: "user", value: "u" },
      serviceTier: { path: "service_tier", value: "flex" },
      verbosity: { path: "verbosity", value: "low" },
      metadata: { path: "metadata", value: { a: "b" } },
      reasoning: { path: "reasoning_effort", mode: "effort", effort: "high", wantsEncrypted: true },
      extras: [],
    });
  });

  it("says nothing where the caller says nothing", () => {
    expect(
      read({ temperature: null, stop: null, stop_sequences: null, store: false }),
    ).toMatchObject({
      isStream: false,
      wantsStreamUsage: false,
      stop: undefined,
      format: undefined,
      reasoning: undefined,
      toolChoice: undefined,
      extras: [],
    });
    expect(
      read({ n: 1, modalities: ["text"], logprobs: false, stop: [] }).logprobs,
    ).toBeUndefined();
  });

  it("drops a level that is newer than this code, and says so", () => {
    const { turn, losses } = decode({
      model: "m",
      messages: [hello],
      reasoning_effort: "enormous",
    });
    expect(turn.reasoning).toBeUndefined();
    expect(losses).toEqual([{ path: "reasoning_effort", action: "dropped", reason: "unknown" }]);
  });

  it("[request.stop-list] a list of one stop sequence is a list", () => {
    expect(read({ stop: ["a"] }).stop?.value).toEqual(["a"]);
  });

  it("prefers the newer of two names and keeps the older one for the record", () => {
    const turn = read({ user: "u", safety_identifier: "s" });
    expect(turn.user).toEqual({ path: "safety_identifier", value: "s" });
    expect(turn.extras).toMatchObject([{ name: "user", path: "user", value: "u" }]);
  });

  it("takes either name of the output limit, and both when they are equal", () => {
    expect(read({ max_tokens: 1 }).maxOutputTokens).toEqual({ path: "max_tokens", value: 1 });
    const { maxOutputTokens, extras } = read({ max_tokens: 2, max_completion_tokens: 2 });
    expect(maxOutputTokens).toEqual({ path: "max_completion_tokens", value: 2 });
    expect(extras).toEqual([]);
    const limit = read({ max_tokens: null, max_completion_tokens: 2 }).maxOutputTokens;
    expect(limit?.value).toBe(2);
  });

  it("refuses two different output limits", () => {
    const limits = { max_tokens: 1, max_completion_tokens: 2 };
    expect(() => read(limits)).toThrow(refusal("max_tokens"));
  });

  it("[request.unknown-fields] keeps what has no neutral name", () => {
    expect(
      read({
        logit_bias: { 1: 2 },
        store: true,
        shiny: 1,
        nothing: null,
        stream_options: { include_usage: true, include_obfuscation: false },
      }).extras,
    ).toMatchObject([
      { name: "logit_bias", path: "logit_bias", value: { 1: 2 } },
      { name: "store", path: "store", value: true },
      { name: "shiny", path: "shiny", value: 1 },
      {
        name: "stream_options.include_obfuscation",
        path: "stream_options.include_obfuscation",
        value: false,
      },
    ]);
  });

  it.each<[string, JsonObject]>([
    ["n", { n: 2 }],
    ["modalities", { modalities: ["text", "audio"] }],
    ["audio", { audio: { voice: "x", format: "wav" } }],
    ["temperature", { temperature: "hot" }],
    ["max_tokens", { max_tokens: 1.5 }],
    ["stream", { stream: "yes" }],
    ["stream_options", { stream_options: true }],
    ["stop[1]", { stop: ["a", 2] }],
    ["stop", { stop: 5 }],
    ["metadata.a", { metadata: { a: 1 } }],
    ["reasoning_effort", { reasoning_effort: 5 }],
    ["top_logprobs", { top_logprobs: 2 }],
    ["response_format.type", { response_format: { type: "yaml" } }],
    ["response_format.json_schema", { response_format: { type: "json_schema" } }],
    ["tools[0].type", { tools: [{}] }],
    ["tools[0].function", { tools: [{ type: "function" }] }],
    [
      "tools[1].function.name",
      {
        tools: [
          { type: "function", function: { name: "f" } },
          { type: "function", function: {} },
        ],
      },
    ],
    ["tool_choice", { tool_choice: "sometimes" }],
    ["tool_choice.type", { tool_choice: { type: "web" } }],
    ["tool_choice.function.name", { tool_choice: { type: "function", function: {} } }],
    ["messages[0].role", { messages: [{ role: "robot" }] }],
    ["messages[0].content", { messages: [{ role: "user", content: 5 }] }],
    [
      "messages[0].content[1].type",
      { messages: [{ role: "user", content: [{ type: "text", text: "a" }, {}] }] },
    ],
    [
      "messages[0].content[0].type",
      {
        messages: [
          { role: "system", content: [{ type: "image_url", image_url: { url: "http://a.test" } }] },
        ],
      },
    ],
    [
      "messages[0].content[0].type",
      { messages: [{ role: "user", content: [{ type: "input_audio", input_audio: {} }] }] },
    ],
    ["messages[0].audio", { messages: [{ role: "assistant", audio: { id: "a" } }] }],
    ["messages[0].tool_call_id", { messages: [{ role: "tool", content: "a" }] }],
    [
      "messages[0].tool_calls[0].id",
      { messages: [{ role: "assistant", tool_calls: [{ function: { name: "f" } }] }] },
    ],
    [
      "messages[0].tool_calls[0].function.arguments",
      {
        messages: [
          { role: "assistant", tool_calls: [{ id: "a", function: { name: "f", arguments: {} } }] },
        ],
      },
    ],
  ])("[request.unsupported] refuses %s", (param, rest) => {
    expect(() => read(rest)).toThrow(refusal(param));
  });

  it("says which roles there are", () => {
    expect(() => read({ messages: [{ role: "robot" }] })).toThrow(
      "A role is one of `system`, `developer`, `user`, `assistant`, `tool`.",
    );
  });
});

describe("tools and formats of a chat request", () => {
  it("reads functions, custom tools and tools of the vendor", () => {
    const { tools } = read({
      tools: [
        {
          type: "function",
          function: {
            name: "f",
            description: "d",
            parameters: { type: "object" },
            strict: true,
            shiny: 1,
          },
        },
        { type: "custom", custom: { name: "p", description: "d", format: { type: "text" } } },
        { type: "browser", x: 1 },
      ],
    });
    expect(tools).toEqual([
      {
        type: "function",
        path: "tools[0]",
        name: "f",
        description: "d",
        parameters: { type: "object" },
        strict: true,
        extras: [{ name: "shiny", path: "tools[0].function.shiny", value: 1 }],
      },
      { type: "custom", path: "tools[1]", name: "p", description: "d", format: { type: "text" } },
      {
        type: "hosted",
        path: "tools[2]",
        dialect: "dialect_chat",
        name: "browser",
        raw: { type: "browser", x: 1 },
      },
    ]);
  });

  it.each<[unknown, JsonObject]>([
    ["none", { kind: "none" }],
    ["auto", { kind: "auto" }],
    ["required", { kind: "required" }],
    [
      { type: "function", function: { name: "f" } },
      { kind: "tool", name: "f" },
    ],
    [
      { type: "custom", custom: { name: "p" } },
      { kind: "tool", name: "p" },
    ],
    [
      {
        type: "allowed_tools",
        allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "f" } }] },
      },
      { kind: "allowed", names: ["f"], isRequired: true },
    ],
  ])("[function.choice] reads the tool_choice %j", (tool_choice, choice) => {
    expect(read({ tool_choice }).toolChoice).toEqual({ path: "tool_choice", ...choice });
  });

  it("reads formats", () => {
    const schema = { type: "object" };
    const json_schema = { name: "n", description: "d", schema, strict: true };
    expect(read({ response_format: { type: "text" } }).format).toBeUndefined();
    expect(read({ response_format: { type: "json_object" } }).format).toEqual({
      path: "response_format",
      kind: "json",
    });
    expect(read({ response_format: { type: "json_schema", json_schema } }).format).toEqual({
      path: "response_format",
      kind: "schema",
      ...json_schema,
    });
    expect(
      read({ response_format: { type: "json_schema", json_schema: { name: "n" } } }).format?.kind,
    ).toBe("json");
  });
});
