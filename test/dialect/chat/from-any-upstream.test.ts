import { describe, expect, it } from "vitest";
import { checkChatStream } from "../../../src/conformance/grammar/chat.ts";
import { unknownModelCapabilities } from "../../../src/dialect/capabilities.ts";
import { getDialectCodec } from "../../../src/dialect/codecs.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { transcodeRequest } from "../../../src/dialect/transcode-request.ts";
import type { DialectId } from "../../../src/platform/configuration/configuration.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { messagesStream, streamResponse, wholeResponse } from "../responses/render-response.ts";
import { vendorEvents, vendorResponse, vendorStream } from "../responses/vendor-stream.ts";
import { openEnvelope } from "./contexts.ts";
import { accumulate } from "./official-client.ts";

const tools = [
  { type: "function", function: { name: "f", parameters: { type: "object" } } },
  { type: "custom", custom: { name: "p" } },
];

/** A chat caller's request for an upstream. */
function request(to: DialectId, body: JsonObject = {}) {
  return transcodeRequest({
    from: getDialectCodec("dialect_chat"),
    to: getDialectCodec(to),
    body: {
      model: "@lab/model",
      messages: [{ role: "user", content: "q" }],
      tools,
      stream: true,
      stream_options: { include_usage: true },
      ...body,
    },
    model: "up",
    capabilities: unknownModelCapabilities,
    isStrict: false,
    envelope: openEnvelope,
    headers: {},
  });
}

/** What the caller's client has in the end; the grammar is kept on the way. */
async function read(upstream: DialectId, stream: string, body: JsonObject = {}) {
  const answer = streamResponse(upstream, stream, request(upstream, body));
  expect(checkChatStream(parseEventStreamText(answer))).toEqual([]);
  const { choices, usage, model } = await accumulate(answer);
  return { choice: choices[0], usage, model, answer };
}

const text = [
  { type: "text", text: "" },
  { type: "text_delta", text: "hello" },
] as const;
const empty = [{ type: "tool_use", id: "toolu_1", name: "f", input: {} }] as const;

function use(id: string, ...fragments: readonly string[]): [JsonObject, ...JsonObject[]] {
  const deltas = fragments.map((partial_json) => ({ type: "input_json_delta", partial_json }));
  return [{ type: "tool_use", id, name: "f", input: {} }, ...deltas];
}

describe("a messages upstream's stream for a chat caller", () => {
  it("[sum.to-chat] [sum.last] words, then usage last", async () => {
    const { choice, usage, model, answer } = await read(
      "dialect_messages",
      messagesStream([text], "end_turn"),
    );
    expect(choice).toMatchObject({
      finish_reason: "stop",
      message: { role: "assistant", content: "hello" },
    });
    expect(model).toBe("@lab/model");
    expect(usage).toEqual({
      prompt_tokens: 2307,
      completion_tokens: 50,
      total_tokens: 2357,
      prompt_tokens_details: { cached_tokens: 2000, cache_write_tokens: 300 },
      completion_tokens_details: { reasoning_tokens: 30 },
    });
    expect(parseEventStreamText(answer).at(-1)?.data).toBe("[DONE]");
  });

  it("hides usage from a caller that did not ask", async () => {
    const { usage } = await read("dialect_messages", messagesStream([text], "end_turn"), {
      stream_options: null,
    });
    expect(usage).toBeUndefined();
  });

  it("[function.first-delta] [function.indexes] calls are counted from 0, whatever stands before them", async () => {
    const stream = messagesStream(
      [text, use("toolu_1", "", '{"x":', "1}"), use("toolu_2", "{}")],
      "tool_use",
    );
    const { choice } = await read("dialect_messages", stream);
    expect(choice).toMatchObject({ finish_reason: "tool_calls" });
    expect(choice?.message.tool_calls).toMatchObject([
      { id: "toolu_1", function: { name: "f", arguments: '{"x":1}' } },
      { id: "toolu_2", function: { name: "f", arguments: "{}" } },
    ]);
  });

  it("[function.no-arguments] a call without arguments has {}", async () => {
    const { choice } = await read("dialect_messages", messagesStream([[...empty]], "tool_use"));
    expect(choice?.message.tool_calls).toMatchObject([{ function: { arguments: "{}" } }]);
    expect(choice?.message.content).toBeNull();
  });

  it("[function.cut-arguments] what was cut off stays cut off", async () => {
    const { choice } = await read(
      "dialect_messages",
      messagesStream([use("toolu_1", '{"x":')], "max_tokens"),
    );
    expect(choice).toMatchObject({
      finish_reason: "length",
      message: { tool_calls: [{ function: { arguments: '{"x":' } }] },
    });
  });

  it("unwraps a custom tool", async () => {
    const block = { type: "tool_use", id: "toolu_1", name: "p", input: {} };
    const delta = { type: "input_json_delta", partial_json: '{"input":"a\\nb"}' };
    const { choice } = await read("dialect_messages", messagesStream([[block, delta]], "tool_use"));
    expect(choice?.message.tool_calls).toMatchObject([
      { type: "custom", custom: { name: "p", input: "a\nb" } },
    ]);
  });

  it("[thought.replayed] [thought.redacted] thoughts come with what is needed to send them back", async () => {
    const thinking = { type: "thinking", thinking: "", signature: "" };
    const stream = messagesStream(
      [
        [
          thinking,
          { type: "thinking_delta", thinking: "hm" },
          { type: "signature_delta", signature: "s" },
        ],
        [{ type: "redacted_thinking", data: "d" }],
        text,
      ],
      "end_turn",
    );
    const { answer } = await read("dialect_messages", stream);
    const deltas = parseEventStreamText(answer)
      .filter(({ data }) => data !== "[DONE]")
      .flatMap(({ data }) => (JSON.parse(data) as { choices: { delta: JsonObject }[] }).choices);
    const details = deltas.flatMap(({ delta }) => delta["reasoning_details"] ?? []) as JsonObject[];
    expect(details.map(({ type, text }) => [type, text])).toEqual([
      ["thinking", "hm"],
      ["redacted_thinking", undefined],
    ]);
    const again = request("dialect_messages", {
      messages: [
        { role: "user", content: "q" },
        {
          role: "assistant",
          content: "hello",
          reasoning_content: "hm",
          reasoning_details: details,
        },
        { role: "user", content: "r" },
      ],
    });
    expect((again.encoded.body["messages"] as JsonObject[])[1]?.["content"]).toEqual([
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "redacted_thinking", data: "d" },
      { type: "text", text: "hello" },
    ]);
    expect(again.warnings.filter(({ reason }) => reason === "foreign")).toEqual([]);
  });

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content_filter"],
    ["pause_turn", "length"],
    ["shiny", "stop"],
  ])("[ending.reasons] tells the stop_reason %s as the finish_reason %s", async (stop, finish) => {
    const { choice } = await read("dialect_messages", messagesStream([text], stop));
    expect(choice?.finish_reason).toBe(finish);
  });

  it("[ending.none] what broke off has no end", () => {
    const cut = messagesStream([text], "end_turn").split("event: message_delta")[0] ?? "";
    const answer = streamResponse("dialect_messages", cut, request("dialect_messages"));
    expect(answer).toContain("hello");
    expect(answer).not.toMatch(/"finish_reason":"|\[DONE\]/);
  });
});

describe("a responses upstream's stream for a chat caller", () => {
  it("[ending.failed-response] has everything that chat can say", async () => {
    const { choice, usage } = await read("dialect_responses", vendorStream(vendorEvents));
    expect(choice?.message).toMatchObject({
      content: "Grüße 🙂",
      refusal: "Not more.",
      tool_calls: [
        {
          id: "call_up_1",
          type: "function",
          function: { name: "look_up", arguments: '{"q":"ключ"}' },
        },
        { id: "call_up_2", type: "custom", custom: { name: "apply_patch", input: "*** Begin" } },
      ],
      annotations: [
        {
          type: "url_citation",
          url_citation: { url: "https://news.example/a", start_index: 0, end_index: 5 },
        },
      ],
    });
    expect(usage).toMatchObject({ prompt_tokens: 2307, completion_tokens: 50, total_tokens: 2357 });
  });

  it("is the same as the whole answer", async () => {
    const { choice } = await read("dialect_responses", vendorStream(vendorEvents));
    const whole = wholeResponse(
      "dialect_responses",
      vendorResponse(),
      request("dialect_responses"),
    ) as {
      choices: readonly { message: JsonObject; finish_reason: string }[];
    };
    const {
      reasoning_content: thought,
      reasoning_details: details,
      ...message
    } = whole.choices[0]?.message ?? {};
    expect(choice?.finish_reason).toBe(whole.choices[0]?.finish_reason);
    expect(choice?.message).toMatchObject(message);
    expect(thought).toBe("First. \n\nSecond.");
    expect(details).toMatchObject([{ type: "thinking", text: "First. \n\nSecond." }]);
  });
});
