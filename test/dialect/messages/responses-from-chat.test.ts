import { describe, expect, it } from "vitest";
import { checkMessagesStream } from "../../../src/conformance/grammar/messages.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { emptyToolNameRestoreInfo } from "../../../src/dialect/restore-info.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { officialMessage } from "../../support/official-messages.ts";
import {
  transcodeResponse,
  transcodeStream,
  streamEvents,
  responseFromStream,
} from "../../support/transcoded-response.ts";

const between = { from: "dialect_chat", to: "dialect_messages" } as const;

/** A chat stream of these deltas, with its finish and `[DONE]`. */
function chatStream(deltas: readonly JsonObject[], finish = "stop", usage?: JsonObject): string {
  const chunk = (choices: readonly JsonObject[], more: JsonObject = {}) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "up", choices, ...more })}\n\n`;
  const choice = (delta: JsonObject, reason: string | null) => ({
    index: 0,
    delta,
    finish_reason: reason,
  });
  return [
    ...deltas.map((delta) => chunk([choice(delta, null)])),
    chunk([choice({}, finish)]),
    ...(usage === undefined ? [] : [chunk([], { usage })]),
    "data: [DONE]\n\n",
  ].join("");
}

function toolDelta(call: JsonObject): JsonObject {
  return { tool_calls: [call] };
}

/** Streamed: right by the grammar, as the official client reads it; whole: the same. */
async function messageOf(stream: string) {
  const text = transcodeStream(stream, between);
  expect(checkMessagesStream(parseEventStreamText(text))).toEqual([]);
  const message = await officialMessage(text);
  expect(message).toEqual(responseFromStream(stream, between));
  return message;
}

describe("a chat upstream's answer for a messages caller", () => {
  it("[function.sequential] two calls one after the other", async () => {
    const message = await messageOf(
      chatStream(
        [
          { role: "assistant", content: null },
          toolDelta({
            index: 0,
            id: "a",
            type: "function",
            function: { name: "f", arguments: "" },
          }),
          toolDelta({ index: 0, function: { arguments: '{"x":1}' } }),
          toolDelta({
            index: 1,
            id: "b",
            type: "function",
            function: { name: "g", arguments: "" },
          }),
          toolDelta({ index: 1, function: { arguments: '{"y":2}' } }),
        ],
        "tool_calls",
      ),
    );
    expect(message).toMatchObject({
      content: [
        { type: "tool_use", id: "a", name: "f", input: { x: 1 } },
        { type: "tool_use", id: "b", name: "g", input: { y: 2 } },
      ],
      stop_reason: "tool_use",
    });
  });

  it("[function.interleaved] fragments of two calls in turn", async () => {
    const deltas = [
      toolDelta({ index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } }),
      toolDelta({ index: 1, id: "b", type: "function", function: { name: "g", arguments: "" } }),
      ...['{"k"', ':"v', '"}'].flatMap((text) => [
        toolDelta({ index: 0, function: { arguments: text } }),
        toolDelta({ index: 1, function: { arguments: text } }),
      ]),
    ];
    const { content } = await messageOf(chatStream(deltas, "tool_calls"));
    expect(content).toMatchObject([{ input: { k: "v" } }, { input: { k: "v" } }]);
  });

  it("[function.no-index] an index that is used again, or left out", async () => {
    const first = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
    const second = { id: "b", type: "function", function: { name: "g", arguments: "{}" } };
    for (const calls of [
      [first, second],
      [
        { ...first, index: 0 },
        { ...second, index: 0 },
      ],
    ]) {
      const { content } = await messageOf(chatStream(calls.map(toolDelta), "tool_calls"));
      expect(content).toMatchObject([{ id: "a" }, { id: "b" }]);
    }
  });

  it("[function.one-delta] everything of a call in one delta", async () => {
    const call = {
      index: 0,
      id: "a",
      type: "function",
      function: { name: "f", arguments: '{"x":1}' },
    };
    const { content } = await messageOf(chatStream([toolDelta(call)], "tool_calls"));
    expect(content).toMatchObject([{ id: "a", name: "f", input: { x: 1 } }]);
  });

  it("[function.ids-of-answer] a call id that is not valid is made so", async () => {
    const call = {
      index: 0,
      id: "Bash:0",
      type: "function",
      function: { name: "f", arguments: "{}" },
    };
    const { content } = await messageOf(chatStream([toolDelta(call)], "tool_calls"));
    expect(content).toMatchObject([{ id: "Bash_0" }]);
  });

  it("[function.ids-again] an id of the history is not given again", () => {
    const call = {
      index: 0,
      id: "call_0",
      type: "function",
      function: { name: "f", arguments: "{}" },
    };
    const recall = { ...emptyToolNameRestoreInfo, callIds: new Set(["call_0"]) };
    const events = streamEvents(chatStream([toolDelta(call)]), "dialect_chat", recall);
    expect(events).toContainEqual(
      expect.objectContaining({ part: expect.objectContaining({ id: "call_0_2" }) }),
    );
  });

  it("[thought.first] reasoning first, then text; no empty block", async () => {
    const message = await messageOf(
      chatStream([
        { role: "assistant", content: "", reasoning_content: "" },
        { reasoning_content: "hm" },
        { content: "so" },
      ]),
    );
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "hm", signature: expect.stringMatching(/^cw1\./) },
      { type: "text", text: "so" },
    ]);
  });

  it("[thought.one-chunk] reasoning, text and a call in one chunk", async () => {
    const call = { index: 0, id: "a", type: "function", function: { name: "f", arguments: "{}" } };
    const delta = { content: "so", reasoning_content: "hm", tool_calls: [call] };
    const { content } = await messageOf(chatStream([delta], "tool_calls"));
    expect(content.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use"]);
  });

  it.each([
    ["stop", "end_turn"],
    ["length", "max_tokens"],
    ["content_filter", "refusal"],
    ["never_heard_of", "end_turn"],
  ])(
    "[ending.reasons] tells the finish_reason %s as the stop_reason %s",
    async (finish, reason) => {
      const { stop_reason: told } = await messageOf(chatStream([{ content: "a" }], finish));
      expect(told).toBe(reason);
    },
  );

  it("a stop with calls is tool_use", async () => {
    const call = { index: 0, id: "a", type: "function", function: { name: "f", arguments: "{}" } };
    const { stop_reason: told } = await messageOf(chatStream([toolDelta(call)], "stop"));
    expect(told).toBe("tool_use");
  });

  it("a refusal is text and the reason", async () => {
    const message = await messageOf(chatStream([{ refusal: "I will not." }]));
    expect(message).toMatchObject({
      content: [{ type: "text", text: "I will not." }],
      stop_reason: "refusal",
      stop_details: { type: "refusal" },
    });
  });

  const usage = {
    prompt_tokens: 2307,
    completion_tokens: 50,
    total_tokens: 2357,
    prompt_tokens_details: { cached_tokens: 2000, cache_write_tokens: 300 },
    completion_tokens_details: { reasoning_tokens: 30 },
  };

  it("[sum.to-messages] [sum.one-delta] usage is a partition, streamed and whole", async () => {
    const streamed = await messageOf(chatStream([{ content: "a" }], "stop", usage));
    const whole = transcodeResponse(
      {
        id: "c",
        object: "chat.completion",
        choices: [
          { index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" },
        ],
        usage,
      },
      between,
    );
    const told = {
      input_tokens: 7,
      cache_read_input_tokens: 2000,
      cache_creation_input_tokens: 300,
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 30 },
    };
    expect(streamed.usage).toEqual(told);
    expect(whole["usage"]).toEqual(told);
  });

  it("[ending.no-done] without usage and [DONE] it ends all the same", async () => {
    const stream = chatStream([{ content: "a" }]).replace("data: [DONE]\n\n", "");
    expect((await messageOf(stream)).stop_reason).toBe("end_turn");
  });

  it("[ending.none] without a finish there is no end", () => {
    const stream = chatStream([{ content: "a" }]);
    const cut = transcodeStream(stream.slice(0, stream.indexOf("\n\n") + 2), between);
    expect(cut).not.toContain("message_delta");
    expect(cut).not.toContain("message_stop");
  });
});
