import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { answerContext, envelopeOf } from "../../support/codec-contexts.ts";
import {
  transcodeResponse,
  transcodeStream,
  responseFromStream,
} from "../../support/transcoded-response.ts";
import { transcode } from "../../support/transcoding.ts";

const forChat = { from: "dialect_messages", to: "dialect_chat" } as const;
const forResponses = { from: "dialect_messages", to: "dialect_responses" } as const;

const fixture = readFileSync(
  join(import.meta.dirname, "../../fixtures/messages/thinking-text-tools.1.chunks.txt"),
  "utf8",
);

function answer(content: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return {
    id: "msg_up",
    type: "message",
    role: "assistant",
    model: "claude",
    content,
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: 7,
      cache_read_input_tokens: 2000,
      cache_creation_input_tokens: 300,
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 30 },
    },
    ...more,
  };
}

const call = { type: "tool_use", id: "toolu_1", name: "f", input: { a: 1 } };

describe("a messages upstream's answer for a chat caller", () => {
  it("[function.call] a call of a tool has its arguments as a text, and no content beside it", () => {
    const body = transcodeResponse(answer([call], { stop_reason: "tool_use" }), forChat);
    expect(body).toMatchObject({
      choices: [
        {
          message: {
            content: null,
            tool_calls: [{ id: "toolu_1", function: { name: "f", arguments: '{"a":1}' } }],
          },
          finish_reason: "tool_calls",
        },
      ],
    });
  });

  it("[function.no-arguments] a call without arguments has the empty object, streamed and whole", () => {
    const whole = JSON.stringify(responseFromStream(fixture, forChat));
    expect(whole).toContain('"name":"list","arguments":"{}"');
    expect(transcodeStream(fixture, forChat)).toContain('"arguments":"{}"');
  });

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content_filter"],
    ["pause_turn", "length"],
    ["never_heard_of", "stop"],
  ])("[ending.reasons] tells the stop_reason %s as the finish_reason %s", (reason, finish) => {
    const body = transcodeResponse(
      answer([{ type: "text", text: "a" }], { stop_reason: reason }),
      forChat,
    );
    expect(body).toMatchObject({ choices: [{ finish_reason: finish }] });
  });

  it("[function.cut-answer] a call that came in whole under a cap stays one", () => {
    const body = transcodeResponse(answer([call], { stop_reason: "max_tokens" }), forChat);
    expect(body).toMatchObject({
      choices: [{ message: { tool_calls: [{ id: "toolu_1" }] }, finish_reason: "length" }],
    });
  });

  it("[sum.to-chat] usage includes what was cached", () => {
    expect(transcodeResponse(answer([]), forChat)["usage"]).toMatchObject({
      prompt_tokens: 2307,
      prompt_tokens_details: { cached_tokens: 2000, cache_write_tokens: 300 },
      completion_tokens: 50,
      completion_tokens_details: { reasoning_tokens: 30 },
      total_tokens: 2357,
    });
  });

  it("[function.hidden-tool] only the caller's tool is a call; the hidden one is the text", () => {
    const recall = { tools: new Map(), jsonTool: "json", callIds: new Set<string>(), stop: [] };
    const hidden = { type: "tool_use", id: "toolu_2", name: "json", input: { n: 1 } };
    const alone = transcodeResponse(answer([hidden], { stop_reason: "tool_use" }), {
      ...forChat,
      recall,
    });
    expect(alone).toMatchObject({
      choices: [{ message: { content: '{"n":1}' }, finish_reason: "stop" }],
    });
    const own = transcodeResponse(answer([call], { stop_reason: "tool_use" }), {
      ...forChat,
      recall,
    });
    expect(own).toMatchObject({ choices: [{ finish_reason: "tool_calls" }] });
  });

  it("[thought.replayed] [thought.redacted] thinking and redacted thinking come back to the vendor as it gave them", () => {
    const thought = [
      { type: "thinking", thinking: "hm", signature: "EqQ==" },
      { type: "redacted_thinking", data: "Emw==" },
      call,
    ];
    const body = transcodeResponse(answer(thought, { stop_reason: "tool_use" }), forChat);
    const [choice] = body["choices"] as readonly { readonly message: JsonObject }[];
    expect(JSON.stringify(choice?.message["content"])).not.toContain("Emw");
    const { body: sent, warnings } = transcode(
      {
        model: "m",
        reasoning_effort: "low",
        messages: [
          { role: "user", content: "hi" },
          choice?.message,
          { role: "tool", tool_call_id: "toolu_1", content: "ok" },
        ],
      },
      { from: "dialect_chat", to: "dialect_messages" },
    );
    expect(sent["messages"]).toMatchObject([{}, { role: "assistant", content: thought }, {}]);
    expect(warnings).toEqual([]);
  });
});

describe("a messages upstream's answer for a responses caller", () => {
  it("[thought.item] [thought.sealed] thinking is a reasoning item, and comes back as it was given", () => {
    const body = responseFromStream(fixture, {
      ...forResponses,
      context: answerContext({
        reasoning: {
          path: "reasoning",
          mode: "effort",
          effort: "low",
          budgetTokens: undefined,
          summary: "auto",
          wantsEncrypted: true,
        },
      }),
    });
    const output = body["output"] as readonly JsonObject[];
    expect(output.map(({ type }) => type)).toEqual([
      "reasoning",
      "reasoning",
      "message",
      "function_call",
      "function_call",
    ]);
    const results = ["toolu_01", "toolu_02"].map((id) => ({
      type: "function_call_output",
      call_id: id,
      output: "ok",
    }));
    const { body: sent } = transcode(
      { model: "m", store: false, input: [{ role: "user", content: "hi" }, ...output, ...results] },
      { from: "dialect_responses", to: "dialect_messages" },
    );
    const messages = sent["messages"] as readonly { readonly content: unknown }[];
    expect(messages[1]?.content).toEqual([
      { type: "thinking", thinking: "Grüße, 世界", signature: "EqQBCgIYAhIM==" },
      { type: "redacted_thinking", data: "EmwKAhgB==" },
      { type: "text", text: "I look it up 👩‍👩‍👧." },
      { type: "tool_use", id: "toolu_01", name: "look_up", input: { q: "a\nb" } },
      { type: "tool_use", id: "toolu_02", name: "list", input: {} },
    ]);
  });

  it.each([
    ["max_tokens", "incomplete", "max_output_tokens"],
    ["refusal", "incomplete", "content_filter"],
    ["end_turn", "completed", undefined],
  ])("tells the stop_reason %s as the status %s", (reason, status, detail) => {
    const body = transcodeResponse(
      answer([{ type: "text", text: "a" }], { stop_reason: reason }),
      forResponses,
    );
    expect(body["status"]).toBe(status);
    expect((body["incomplete_details"] as JsonObject | null)?.["reason"]).toBe(detail);
  });
});

describe("envelopes between callers", () => {
  it("[thought.other-vendor] a vendor's ciphertext never reaches another vendor", () => {
    const seal = {
      dialect: "dialect_responses",
      kind: "encrypted",
      id: "rs_1",
      encryptedContent: "gAAA",
    } as const;
    const input = [
      { role: "user", content: "hi" },
      {
        type: "reasoning",
        id: "rs_1",
        summary: [],
        encrypted_content: envelopeOf().seal(seal, ["hm"]),
      },
      { role: "assistant", content: "a" },
      { role: "user", content: "b" },
    ];
    const { body, warnings } = transcode(
      { model: "m", input },
      { from: "dialect_responses", to: "dialect_messages" },
    );
    expect(JSON.stringify(body)).not.toMatch(/gAAA|hm/);
    expect(warnings).toEqual(["input[1] dropped foreign"]);
  });
});
