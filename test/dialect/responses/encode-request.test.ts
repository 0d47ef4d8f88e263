import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { refusalOf } from "./decoding.ts";
import { toResponses, type TranscodeOptions, type Written } from "./transcoding.ts";

const chatHello = { model: "m", messages: [{ role: "user", content: "hello" }] };

function fromChat(body: JsonObject, options?: TranscodeOptions): Written {
  return toResponses("dialect_chat", { ...chatHello, ...body }, options);
}

function inputOf({ body }: Written): readonly JsonObject[] {
  return body["input"] as readonly JsonObject[];
}

const png = "data:image/png;base64,AAAA";

describe("a chat request for a responses upstream", () => {
  it("goes without the vendor keeping it", () => {
    expect(fromChat({})).toEqual({
      body: {
        model: "up-model",
        input: [{ type: "message", role: "user", content: "hello" }],
        store: false,
      },
      warnings: [],
    });
  });

  it("puts system messages that open it into the instructions, later ones in place", () => {
    const written = fromChat({
      messages: [
        { role: "system", content: "A" },
        { role: "developer", content: "B" },
        { role: "user", content: "hello" },
        { role: "system", content: "C" },
      ],
    });
    expect(written.body["instructions"]).toBe("A\n\nB");
    expect(inputOf(written)).toEqual([
      { type: "message", role: "user", content: "hello" },
      { type: "message", role: "developer", content: "C" },
    ]);
  });

  it("carries parts of every kind", () => {
    const written = fromChat({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "see" },
            { type: "image_url", image_url: { url: png, detail: "low" } },
            { type: "image_url", image_url: { url: "https://a.example/b.png" } },
            {
              type: "file",
              file: { filename: "a.pdf", file_data: "data:application/pdf;base64,BBBB" },
            },
            { type: "file", file: { file_id: "file_1" } },
          ],
        },
      ],
    });
    expect(inputOf(written)[0]?.["content"]).toEqual([
      { type: "input_text", text: "see" },
      { type: "input_image", image_url: png, detail: "low" },
      { type: "input_image", image_url: "https://a.example/b.png", detail: "auto" },
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,BBBB" },
      { type: "input_file", file_id: "file_1" },
    ]);
    expect(written.warnings).toEqual([]);
  });

  it("makes an item of every call and of every result", () => {
    const tool_calls = ["c1", "c2"].map((id) => ({
      id,
      type: "function",
      function: { name: "f", arguments: id === "c1" ? "" : '{"a":1}' },
    }));
    const written = fromChat({
      messages: [
        { role: "user", content: "hello" },
        { role: "assistant", content: "Looking.", tool_calls },
        { role: "tool", tool_call_id: "c2", content: "two" },
        { role: "tool", tool_call_id: "c1", content: "one" },
      ],
      tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }],
    });
    expect(inputOf(written).slice(1)).toEqual([
      {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Looking.", annotations: [] }],
      },
      { type: "function_call", call_id: "c1", name: "f", arguments: "{}", status: "completed" },
      {
        type: "function_call",
        call_id: "c2",
        name: "f",
        arguments: '{"a":1}',
        status: "completed",
      },
      { type: "function_call_output", call_id: "c1", output: "one" },
      { type: "function_call_output", call_id: "c2", output: "two" },
    ]);
    expect(written.body["tools"]).toEqual([
      { type: "function", name: "f", parameters: { type: "object" }, strict: false },
    ]);
  });

  it("[request.empty-text] says nothing where chat said an empty text before a call", () => {
    const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
    const written = fromChat({
      messages: [
        { role: "user", content: "hello" },
        { role: "assistant", content: "", tool_calls: [call] },
        { role: "tool", tool_call_id: "c", content: "" },
      ],
    });
    expect(inputOf(written).map(({ type }) => type)).toEqual([
      "message",
      "function_call",
      "function_call_output",
    ]);
  });

  it("carries custom tools, with their grammar in the form of this dialect", () => {
    const grammar = { syntax: "lark", definition: "start: x" };
    const custom = { name: "patch", description: "d", format: { type: "grammar", grammar } };
    const call = { id: "c", type: "custom", custom: { name: "patch", input: "*** Begin" } };
    const written = fromChat({
      messages: [
        { role: "user", content: "hello" },
        { role: "assistant", tool_calls: [call] },
        { role: "tool", tool_call_id: "c", content: "ok" },
      ],
      tools: [{ type: "custom", custom }],
      tool_choice: { type: "custom", custom: { name: "patch" } },
    });
    expect(written.body["tools"]).toEqual([
      { type: "custom", name: "patch", description: "d", format: { type: "grammar", ...grammar } },
    ]);
    expect(written.body["tool_choice"]).toEqual({ type: "custom", name: "patch" });
    expect(inputOf(written).slice(1)).toEqual([
      {
        type: "custom_tool_call",
        call_id: "c",
        name: "patch",
        input: "*** Begin",
        status: "completed",
      },
      { type: "custom_tool_call_output", call_id: "c", output: "ok" },
    ]);
  });

  it("carries settings that both know, in the words of this dialect", () => {
    const schema = { type: "object", properties: {} };
    const tool = { type: "function", function: { name: "f", parameters: schema, strict: true } };
    const { body, warnings } = fromChat({
      max_completion_tokens: 300,
      temperature: 1.5,
      top_p: 0.5,
      reasoning_effort: "medium",
      verbosity: "low",
      response_format: {
        type: "json_schema",
        json_schema: { name: "thing", schema, strict: true },
      },
      tools: [tool],
      tool_choice: { type: "function", function: { name: "f" } },
      parallel_tool_calls: false,
      logprobs: true,
      top_logprobs: 2,
      metadata: { a: "1" },
      safety_identifier: "u",
      service_tier: "flex",
      prompt_cache_key: "k",
      stream: true,
      stream_options: { include_usage: true, include_obfuscation: false },
      store: true,
    });
    expect(body).toEqual({
      model: "up-model",
      input: [{ type: "message", role: "user", content: "hello" }],
      tools: [{ type: "function", name: "f", parameters: schema, strict: true }],
      tool_choice: { type: "function", name: "f" },
      parallel_tool_calls: false,
      max_output_tokens: 300,
      temperature: 1.5,
      top_p: 0.5,
      top_logprobs: 2,
      text: {
        format: { type: "json_schema", name: "thing", schema, strict: true },
        verbosity: "low",
      },
      reasoning: { effort: "medium" },
      include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
      service_tier: "flex",
      metadata: { a: "1" },
      safety_identifier: "u",
      store: true,
      prompt_cache_key: "k",
      stream_options: { include_obfuscation: false },
      stream: true,
    });
    expect(warnings).toEqual([]);
  });

  it("drops what is only advice, with a warning", () => {
    const { body, warnings } = fromChat({
      messages: [{ role: "user", name: "Bo", content: "hello" }],
      seed: 1,
      frequency_penalty: 1,
      logit_bias: { "1": 2 },
      prediction: { type: "content", content: "x" },
      mystery: 1,
    });
    expect(Object.keys(body)).toEqual(["model", "input", "store"]);
    expect(warnings.map(({ path, reason }) => [path, reason])).toEqual([
      ["logit_bias", "unsupported"],
      ["prediction", "unsupported"],
      ["mystery", "unknown"],
      ["messages[0].name", "unsupported"],
      ["frequency_penalty", "unsupported"],
      ["seed", "unsupported"],
    ]);
  });

  it.each([
    ["stop", { stop: Array.from({ length: 65 }, (_none, index) => `${index}`) }],
    ["stop", { stop: ["a".repeat(256), "b".repeat(257)] }],
    ["n", { n: 2 }],
    ["modalities", { modalities: ["text", "audio"], audio: { voice: "x" } }],
    ["tool_choice", { tool_choice: "required" }],
  ])("refuses at %s what would change the answer", (param, change) => {
    expect(refusalOf(() => fromChat(change))).toBe(param);
  });

  it.each([{ stop: "END" }, { stop: ["a", "", "b"] }])(
    "sends no %j, which responses does not have",
    (change) => {
      const { body, warnings } = fromChat(change);
      expect([Object.keys(body), warnings]).toEqual([["model", "input", "store"], []]);
    },
  );

  it("searches the web with the tool of this dialect", () => {
    const { body } = fromChat({
      web_search_options: {
        search_context_size: "low",
        user_location: { type: "approximate", approximate: { city: "Kyiv" } },
      },
    });
    expect(body["tools"]).toEqual([
      {
        type: "web_search",
        search_context_size: "low",
        user_location: { type: "approximate", city: "Kyiv" },
      },
    ]);
  });

  it("raises a cap below the vendor's least", () => {
    const { body, warnings } = fromChat({ max_tokens: 3 });
    expect(body["max_output_tokens"]).toBe(16);
    expect(warnings).toEqual([{ path: "max_tokens", action: "approximated", reason: "range" }]);
  });

  it("asks a model that thinks by itself for what a loop of calls needs back", () => {
    const thinking = fromChat({}, { capabilities: { firstParty: true, sampling: false } });
    expect(thinking.body["include"]).toEqual(["reasoning.encrypted_content"]);
    const told = { capabilities: { firstParty: true, sampling: false } };
    expect(fromChat({ reasoning_effort: "none" }, told).body).not.toHaveProperty("include");
    expect(fromChat({}).body).not.toHaveProperty("include");
  });

  it("drops sampling for a model that takes none", () => {
    const { body, warnings } = fromChat({ temperature: 1 }, { capabilities: { sampling: false } });
    expect(body).not.toHaveProperty("temperature");
    expect(warnings).toEqual([{ path: "temperature", action: "dropped", reason: "model" }]);
  });
});
