import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { calls, fromChat, fromResponses, result, tool } from "../../support/messages-upstream.ts";
import { refusedParam } from "../../support/transcoding.ts";

describe("envelope", () => {
  it("[request.chat-to-messages] system text, one user turn, a cap", () => {
    const { body, headers, warnings } = fromChat({
      messages: [
        { role: "system", content: "be brief" },
        { role: "user", content: "hi" },
      ],
    });
    expect(body).toEqual({
      model: "up-model",
      max_tokens: 8192,
      system: [{ type: "text", text: "be brief" }],
      messages: [{ role: "user", content: "hi" }],
    });
    expect(headers).toEqual(["anthropic-version", "2023-06-01"]);
    expect(warnings).toEqual([]);
  });

  it("[request.responses-to-messages] instructions and a string", () => {
    expect(fromResponses({ instructions: "be brief" }).body).toMatchObject({
      system: [{ type: "text", text: "be brief" }],
      messages: [{ role: "user", content: "hi" }],
    });
  });

  it("[request.output-cap] the model's own cap where the caller set none", () => {
    expect(fromChat({}, { maxOutputTokens: 32_000 }).body["max_tokens"]).toBe(32_000);
    expect(fromChat({ max_tokens: 5 }, { maxOutputTokens: 32_000 }).body["max_tokens"]).toBe(5);
    expect(fromResponses({ max_output_tokens: 6 }).body["max_tokens"]).toBe(6);
  });

  it("keeps system messages apart, for their cache breakpoints", () => {
    const { body } = fromChat({
      messages: [
        {
          role: "system",
          content: [{ type: "text", text: "a", cache_control: { type: "ephemeral" } }],
        },
        { role: "developer", content: "b" },
        { role: "user", content: "hi" },
      ],
    });
    expect(body["system"]).toEqual([
      { type: "text", text: "a", cache_control: { type: "ephemeral" } },
      { type: "text", text: "b" },
    ]);
  });

  it.each<[JsonObject, JsonObject, readonly string[]]>([
    [{ temperature: 0.4 }, { temperature: 0.4 }, []],
    [{ temperature: 1.6 }, { temperature: 1 }, ["temperature approximated range"]],
    [{ top_p: 0.4, top_k: 3 }, { top_p: 0.4, top_k: 3 }, []],
    [{ temperature: 1, top_p: 0.4 }, { temperature: 1, top_p: 0.4 }, []],
    [{ stop: "END" }, { stop_sequences: ["END"] }, []],
    [{ stop: ["a", " \n", "b"] }, { stop_sequences: ["a", "b"] }, ["stop dropped unsupported"]],
    [{ stream: true }, { stream: true }, []],
    [{ service_tier: "auto" }, { service_tier: "auto" }, []],
    [{ service_tier: "default" }, { service_tier: "standard_only" }, []],
    [{ service_tier: "flex" }, {}, ["service_tier dropped unsupported"]],
    [{ seed: 1 }, {}, ["seed dropped unsupported"]],
    [{ presence_penalty: 1 }, {}, ["presence_penalty dropped unsupported"]],
    [{ logit_bias: { "1": 2 } }, {}, ["logit_bias dropped unsupported"]],
    [{ verbosity: "low" }, {}, ["verbosity dropped unsupported"]],
    [{ prompt_cache_key: "k" }, {}, ["prompt_cache_key dropped unsupported"]],
    [{ n: 1 }, {}, []],
    [{ stream_options: { include_obfuscation: false } }, {}, []],
    [
      { logit_bias: {}, speed: "fast" },
      {},
      ["logit_bias dropped unsupported", "speed dropped foreign"],
    ],
    [{ store: false }, {}, []],
    [{ never_heard_of: 1 }, {}, ["never_heard_of dropped unknown"]],
  ])("the chat fields %j are sent as %j", (fields, written, warned) => {
    const { body, warnings } = fromChat(fields);
    expect(body).toEqual({
      model: "up-model",
      max_tokens: 8192,
      messages: [{ role: "user", content: "hi" }],
      ...written,
    });
    expect(warnings).toEqual(warned);
  });

  it("Claude models take one of temperature and top_p", () => {
    const { body, warnings } = fromChat({ temperature: 1, top_p: 0.4 }, {}, "claude-sonnet-4-5");
    expect(body).not.toHaveProperty("top_p");
    expect(warnings).toEqual(["top_p dropped conflict"]);
  });

  it("[request.sampling] a model that takes no sampling gets none", () => {
    const { body, warnings } = fromChat({ temperature: 1, top_p: 1 }, { sampling: false });
    expect(body).not.toHaveProperty("temperature");
    expect(warnings).toEqual(["temperature dropped model", "top_p dropped model"]);
  });

  it("[request.metadata] the user goes along, other pairs do not", () => {
    const { body, warnings } = fromChat({ user: "u1", metadata: { a: "b" } });
    expect(body["metadata"]).toEqual({ user_id: "u1" });
    expect(warnings).toEqual(["metadata dropped unsupported"]);
  });

  it.each<[JsonObject, string]>([
    [{ n: 2 }, "n"],
    [{ logprobs: true }, "logprobs"],
    [{ modalities: ["text", "audio"], audio: {} }, "modalities"],
    [{ web_search_options: {} }, "web_search_options"],
  ])(
    "[request.unsupported] refuses the chat fields %j, which no messages model has",
    (fields, param) => {
      expect(refusedParam(() => fromChat(fields))).toBe(param);
    },
  );

  it("[request.stable] equal requests give equal bytes", () => {
    const body = {
      messages: [{ role: "user", content: "hi" }, calls("a"), result("a")],
      tools: [tool("f"), tool("g")],
      user: "u",
    };
    const bytes = () => JSON.stringify(fromChat(structuredClone(body)).body);
    expect(bytes()).toBe(bytes());
  });
});
