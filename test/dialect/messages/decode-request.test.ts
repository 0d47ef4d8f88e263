import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { assistant, decode, refused, shapeOf, user } from "../../support/messages-caller.ts";

describe("decodeRequest()", () => {
  it("reads the fields that every dialect has", () => {
    const { turn, losses } = decode({
      stream: true,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 4,
      stop_sequences: ["END"],
      metadata: { user_id: "u1" },
      service_tier: "auto",
    });
    expect(turn).toMatchObject({
      origin: "dialect_messages",
      model: "m",
      isStream: true,
      maxOutputTokens: { path: "max_tokens", value: 100 },
      sampling: { temperature: { value: 0.5 }, topP: { value: 0.9 }, topK: { value: 4 } },
      stop: { path: "stop_sequences", value: ["END"] },
      user: { path: "metadata.user_id", value: "u1" },
      serviceTier: { path: "service_tier", value: "auto" },
      extras: [],
    });
    expect(losses).toEqual([]);
  });

  it("[request.stop-list] one stop sequence stays an array", () => {
    expect(decode({ stop_sequences: ["a"] }).turn.stop?.value).toEqual(["a"]);
  });

  it("[request.unknown-fields] what it does not know is an extra, with its place", () => {
    const { turn } = decode({
      speed: "fast",
      container: null,
      metadata: { other: 1 },
      output_config: { effort: "low", task_budget: { total: 5 } },
      thinking: { type: "disabled", mood: "calm" },
    });
    expect(turn.extras).toMatchObject([
      { name: "speed", path: "speed", value: "fast" },
      { name: "metadata.other", path: "metadata.other", value: 1 },
      { name: "output_config.task_budget", path: "output_config.task_budget", value: { total: 5 } },
      { name: "thinking.mood", path: "thinking.mood", value: "calm" },
    ]);
  });

  it.each<[JsonObject, string]>([
    [{ model: undefined }, "model"],
    [{ model: 7 }, "model"],
    [{ messages: undefined }, "messages"],
    [{ messages: "hi" }, "messages"],
    [{ messages: [7] }, "messages[0]"],
    [{ messages: [{ role: "tool", content: "" }] }, "messages[0].role"],
    [{ messages: [{ role: "user" }] }, "messages[0].content"],
    [user({ type: "text" }), "messages[0].content[0].text"],
    [user({ text: "a" }), "messages[0].content[0].type"],
    [user({ type: "image" }), "messages[0].content[0].source"],
    [user({ type: "image", source: { type: "ftp" } }), "messages[0].content[0].source.type"],
    [user({ type: "tool_result" }), "messages[0].content[0].tool_use_id"],
    [assistant({ type: "tool_use", id: "a", name: "f" }), "messages[1].content[0].input"],
    [
      assistant({ type: "tool_use", id: "a", name: "f", input: "{}" }),
      "messages[1].content[0].input",
    ],
    [{ max_tokens: 1.5 }, "max_tokens"],
    [{ stop_sequences: ["a", 7] }, "stop_sequences[1]"],
    [{ stop_sequences: "a" }, "stop_sequences"],
    [{ system: [{ type: "image" }] }, "system[0].type"],
    [{ thinking: { type: "enabled" } }, "thinking.budget_tokens"],
    [{ thinking: { type: "sometimes" } }, "thinking.type"],
    [{ tools: [{ input_schema: {} }] }, "tools[0].name"],
    [{ tool_choice: { type: "tool" } }, "tool_choice.name"],
    [{ tool_choice: { type: "maybe" } }, "tool_choice.type"],
    [{ tool_choice: "any" }, "tool_choice"],
    [{ output_config: { format: { type: "xml" } } }, "output_config.format.type"],
    [{ output_config: { format: { type: "json_schema" } } }, "output_config.format.schema"],
    [{ temperature: "hot" }, "temperature"],
    [{ metadata: [] }, "metadata"],
  ])("[request.refused] refuses a request with %j at the field's place", (fields, param) => {
    expect(refused(fields)).toBe(param);
  });

  it("a cap that is missing is none: only the model is demanded", () => {
    expect(decode({ max_tokens: undefined }).turn.maxOutputTokens).toBeUndefined();
  });
});

describe("system", () => {
  it("text and blocks, and messages before the conversation", () => {
    expect(decode({ system: "a" }).turn.system).toMatchObject([{ path: "system", text: "a" }]);
    const { turn } = decode({
      system: [{ type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } }],
      messages: [
        { role: "system", content: "b" },
        { role: "user", content: "hi" },
      ],
    });
    expect(turn.system).toEqual([
      {
        type: "text",
        path: "system[0]",
        text: "a",
        cache: { path: "system[0].cache_control", ttl: "1h" },
      },
      { type: "text", path: "messages[0].content", text: "b" },
    ]);
    expect(shapeOf(turn)).toEqual([["user", ["text"]]]);
  });

  it("[request.system-in-the-middle] one in the middle stays in its place", () => {
    const { turn } = decode({
      messages: [
        { role: "user", content: "a" },
        { role: "system", content: [{ type: "text", text: "rule" }] },
        { role: "user", content: "b" },
      ],
    });
    expect(shapeOf(turn)).toEqual([
      ["user", ["text"]],
      ["system", ["text"]],
      ["user", ["text"]],
    ]);
  });

  it("[request.stable] a billing line that changes with every request is left out and told", () => {
    const { turn, losses } = decode({
      system: [
        { type: "text", text: "x-anthropic-billing-header: cc_version=1; cch=af31;" },
        { type: "text", text: "a" },
      ],
    });
    expect(turn.system).toMatchObject([{ text: "a" }]);
    expect(losses).toEqual(["system[0] foreign"]);
  });
});

describe("versions", () => {
  const newer = { "anthropic-version": "2026-10-21" };
  const older = { "anthropic-version": "2023-06-01" };
  const document = assistant({
    type: "document",
    source: { type: "text", media_type: "text/plain", data: "a" },
  });
  const cited = user({ type: "text", text: "a", citations: [{ type: "char_location" }] });

  it.each<[string, JsonObject, string]>([
    ["temperature", { temperature: 1 }, "temperature"],
    ["top_p", { top_p: 1 }, "top_p"],
    ["top_k", { top_k: 1 }, "top_k"],
    ["a document of the assistant", document, "messages[1].content[0].type"],
    ["citations of the user", cited, "messages[0].content[0].citations"],
  ])("2026-10-21 has no %s; 2023-06-01 and no version have it", (_name, fields, param) => {
    expect(refused(fields, newer)).toBe(param);
    expect(refused(fields, older)).toBeUndefined();
    expect(refused(fields)).toBeUndefined();
  });

  it("[request.unknown-fields] betas are dropped and told", () => {
    expect(decode({}, { "anthropic-beta": "x-1,y-2" }).losses).toEqual([
      "headers.anthropic-beta unsupported",
    ]);
  });
});

describe("members that are not read", () => {
  it("[request.unknown-fields] are told, wherever they stand", () => {
    const { losses } = decode({
      messages: [
        {
          role: "user",
          id: "x",
          content: [
            { type: "text", text: "a", shine: true, citations: null },
            {
              type: "tool_result",
              tool_use_id: "a",
              content: [{ type: "image", source: { type: "url", url: "https://a" }, glow: 1 }],
            },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "a", name: "f", input: {}, caller: { type: "direct" } },
            { type: "tool_use", id: "b", name: "f", input: {}, caller: { type: "code_1" } },
            { type: "server_tool_use", anything: 1 },
          ],
        },
      ],
    });
    expect(losses).toEqual([
      "messages[0].id unknown",
      "messages[0].content[0].shine unknown",
      "messages[0].content[1].content[0].glow unknown",
      "messages[0].content[0] position",
      "messages[1].content[1].caller unsupported",
    ]);
  });

  it("a call of a vendor's toolset is none of the caller's", () => {
    const { turn } = decode(
      assistant({ type: "tool_use", id: "a", name: "click", toolset_name: "browser", input: {} }),
    );
    expect(turn.messages[1]?.parts).toMatchObject([{ type: "opaque", name: "tool_use" }]);
  });
});
