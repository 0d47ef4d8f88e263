import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MalformedResponseError } from "../../../src/dialect/codec.ts";
import { messagesCodec } from "../../../src/dialect/messages/codec.ts";
import { neutralEventsToResponse } from "../../../src/dialect/neutral-response.ts";
import type { NeutralEvent } from "../../../src/dialect/neutral-event.ts";
import { SseEventReader } from "../../../src/platform/sse/event-reader.ts";

const fixture = readFileSync(
  join(import.meta.dirname, "../../fixtures/messages/thinking-text-tools.1.chunks.txt"),
  "utf8",
);

function read(chunks: readonly Buffer[]): readonly NeutralEvent[] {
  const reader = new SseEventReader(1024 * 1024);
  const decoder = messagesCodec.decodeStream({ stop: [] });
  const pushed = chunks.flatMap((chunk) => [...reader.push(chunk)]);
  const events = [...pushed, ...reader.finish()].flatMap((event) => [...decoder.push(event)]);
  return [...events, ...decoder.finish()];
}

function readText(text: string): readonly NeutralEvent[] {
  return read([Buffer.from(text)]);
}

/** Frames of events, each named like its type. */
function frames(...events: readonly Record<string, unknown>[]): string {
  return events
    .map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}

const start = {
  type: "message_start",
  message: { content: [], usage: { input_tokens: 3, output_tokens: 1 } },
};
const stop = { type: "message_stop" };

function block(index: number, content: Record<string, unknown>) {
  return { type: "content_block_start", index, content_block: content };
}

function delta(index: number, value: Record<string, unknown>) {
  return { type: "content_block_delta", index, delta: value };
}

function end(index: number) {
  return { type: "content_block_stop", index };
}

function ended(reason: string | null, more: Record<string, unknown> = {}) {
  return {
    type: "message_delta",
    delta: { stop_reason: reason, stop_sequence: null, ...more },
    usage: { output_tokens: 5 },
  };
}

describe("decodeStream()", () => {
  it("reads thinking, text, calls and usage", () => {
    expect(neutralEventsToResponse(readText(fixture))).toMatchObject({
      parts: [
        {
          type: "reasoning",
          texts: ["Grüße, 世界"],
          encrypted: { dialect: "dialect_messages", kind: "thinking", signature: "EqQBCgIYAhIM==" },
        },
        {
          type: "reasoning",
          texts: [],
          encrypted: { dialect: "dialect_messages", kind: "redacted", data: "EmwKAhgB==" },
        },
        { type: "text", text: "I look it up 👩‍👩‍👧." },
        { type: "tool-call", id: "toolu_01", name: "look_up", arguments: '{"q": "a\\nb"}' },
        { type: "tool-call", id: "toolu_02", name: "list", arguments: "{}" },
      ],
      end: { reason: "tool-calls", raw: "tool_use" },
      usage: { input: 7, cacheRead: 2000, cacheWrite: 300, output: 50, reasoning: 30 },
    });
  });

  it("[stream.unknown-events] events and deltas newer than this code tell nothing", () => {
    const without = fixture
      .split("\n\n")
      .filter((frame) => !frame.includes("shiny"))
      .join("\n\n");
    expect(readText(without)).toEqual(readText(fixture));
  });

  it.each([
    ["LF", fixture],
    ["CRLF", fixture.replaceAll("\n", "\r\n")],
  ])("[stream.bytes] cut at every byte, %s, tells the same", (_name, text) => {
    const whole = JSON.stringify(readText(fixture));
    const bytes = Buffer.from(text);
    for (let at = 1; at < bytes.length; at++) {
      const told = read([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(JSON.stringify(told), `cut at ${at}`).toBe(whole);
    }
  });

  it("[ending.none] a stream without message_stop tells no end", () => {
    const cut = fixture.slice(0, fixture.indexOf("event: message_stop"));
    expect(readText(cut).some(({ type }) => type === "response-end")).toBe(false);
  });

  it("a stop without a reason is no end: the model was cut off", () => {
    const told = readText(frames(start, block(0, { type: "text", text: "a" }), ended(null), stop));
    expect(told.at(-1)).toEqual({ type: "part-end", index: 0 });
  });

  it("[ending.error-first] an error may come first", () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    expect(readText(frames(error))).toEqual([
      {
        type: "error",
        error: { type: "overloaded_error", code: undefined, message: "Overloaded" },
      },
    ]);
  });

  it("tells nothing after an error", () => {
    const error = { type: "error", error: { type: "api_error", message: "x" } };
    expect(readText(frames(start, error, block(0, { type: "text", text: "a" })))).toHaveLength(3);
  });

  it.each([
    ["an event that is cut", 'event: ping\ndata: {"type":\n\n'],
    [
      "a delta of a block that is not open",
      frames(start, delta(0, { type: "text_delta", text: "a" })),
    ],
    ["a block that ends twice", frames(start, block(0, { type: "text" }), end(0), end(0))],
    ["a block without an index", frames(start, { type: "content_block_stop" })],
    ["a call without a name", frames(start, block(0, { type: "tool_use", id: "t", input: {} }))],
  ])("[ending.malformed] %s is a failure of the upstream", (_name, text) => {
    expect(() => readText(text)).toThrow(MalformedResponseError);
  });

  it.each([
    ["end_turn", "end"],
    ["max_tokens", "length"],
    ["stop_sequence", "stop-sequence"],
    ["tool_use", "tool-calls"],
    ["pause_turn", "pause"],
    ["refusal", "refusal"],
    ["model_context_window_exceeded", "context-window"],
    ["compaction", "unknown"],
    ["toString", "unknown"],
  ])("[ending.reasons] reads the stop_reason %s as %s and keeps the raw word", (raw, reason) => {
    expect(readText(frames(start, ended(raw), stop)).at(-1)).toMatchObject({ reason, raw });
  });

  it("tells the sequence that stopped it", () => {
    const told = readText(frames(start, ended("stop_sequence", { stop_sequence: "END" }), stop));
    expect(told.at(-1)).toMatchObject({ reason: "stop-sequence", stopSequence: "END" });
  });

  it("tells why the model refused", () => {
    const details = { type: "refusal", category: "bio", explanation: "No." };
    const told = readText(frames(start, ended("refusal", { stop_details: details }), stop));
    expect(told.at(-1)).toMatchObject({ reason: "refusal", category: "bio", explanation: "No." });
  });

  it("[function.cut-answer] a call counts whatever the reason", () => {
    const call = block(0, { type: "tool_use", id: "t", name: "f", input: {} });
    const answer = neutralEventsToResponse(
      readText(frames(start, call, end(0), ended("max_tokens"), stop)),
    );
    expect(answer).toMatchObject({ parts: [{ name: "f" }], end: { reason: "length" } });
  });

  it("input that came with the start counts unless a delta follows", () => {
    const call = block(0, { type: "tool_use", id: "t", name: "f", input: { a: 1 } });
    const json = delta(0, { type: "input_json_delta", partial_json: '{"b":2}' });
    const alone = neutralEventsToResponse(readText(frames(start, call, end(0))));
    const followed = neutralEventsToResponse(readText(frames(start, call, json, end(0))));
    expect(alone.parts).toMatchObject([{ arguments: '{"a":1}' }]);
    expect(followed.parts).toMatchObject([{ arguments: '{"b":2}' }]);
  });

  it("[thought.signature] a signature without words comes back byte for byte", () => {
    const thinking = block(0, { type: "thinking", thinking: "", signature: "" });
    const signed = delta(0, { type: "signature_delta", signature: "a+/=" });
    const { parts } = neutralEventsToResponse(readText(frames(start, thinking, signed, end(0))));
    expect(parts).toEqual([
      {
        type: "reasoning",
        texts: [],
        encrypted: { dialect: "dialect_messages", kind: "thinking", signature: "a+/=" },
      },
    ]);
  });

  it("cites pages for the whole text of the block, and nothing else", () => {
    const page = {
      type: "web_search_result_location",
      url: "https://a.example/x",
      title: "X",
      cited_text: "cited",
      encrypted_index: "zz",
    };
    const told = readText(
      frames(
        start,
        block(0, { type: "text", text: "" }),
        delta(0, { type: "citations_delta", citation: page }),
        delta(0, { type: "citations_delta", citation: { type: "page_location" } }),
        delta(0, { type: "text_delta", text: "claim" }),
        end(0),
      ),
    );
    expect(neutralEventsToResponse(told).parts).toMatchObject([
      {
        citations: [
          { url: "https://a.example/x", title: "X", citedText: "cited", start: 0, end: 5 },
        ],
      },
    ]);
  });

  it("the vendor's own tools leave no part, but come back with a pause", () => {
    const search = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
    const result = { type: "web_search_tool_result", tool_use_id: "s", content: [] };
    const told = readText(
      frames(
        start,
        block(0, { type: "text", text: "" }),
        delta(0, { type: "text_delta", text: "I search." }),
        end(0),
        block(1, search),
        delta(1, { type: "input_json_delta", partial_json: '{"query":"q"}' }),
        end(1),
        block(2, result),
        end(2),
        ended("pause_turn"),
        stop,
      ),
    );
    expect(neutralEventsToResponse(told).parts).toHaveLength(1);
    expect(told.at(-1)).toMatchObject({
      reason: "pause",
      resume: [{ type: "text", text: "I search." }, { ...search, input: { query: "q" } }, result],
    });
  });
});

describe("decodeAnswer()", () => {
  const answer = {
    id: "msg_up",
    type: "message",
    role: "assistant",
    model: "claude",
    content: [
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "text", text: "hello", citations: null },
      { type: "tool_use", id: "t", name: "f", input: { a: [1, { b: null }] } },
    ],
    stop_reason: "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 7, cache_read_input_tokens: null, output_tokens: 50 },
  };

  it("reads what the stream of the same answer adds up to", () => {
    expect(
      neutralEventsToResponse(messagesCodec.decodeResponse(answer, { stop: [] })),
    ).toMatchObject({
      parts: [
        { type: "reasoning", texts: ["hm"], encrypted: { signature: "sig" } },
        { type: "text", text: "hello" },
        { type: "tool-call", id: "t", arguments: '{"a":[1,{"b":null}]}' },
      ],
      end: { reason: "tool-calls" },
      usage: { input: 7, cacheRead: undefined, output: 50 },
    });
  });

  it("[sum.to-messages] counts that are null are not told", () => {
    const { usage } = neutralEventsToResponse(messagesCodec.decodeResponse(answer, { stop: [] }));
    expect(usage?.cacheRead).toBeUndefined();
  });

  it("an empty answer is one", () => {
    const empty = { ...answer, content: [], stop_reason: "end_turn" };
    expect(
      neutralEventsToResponse(messagesCodec.decodeResponse(empty, { stop: [] })),
    ).toMatchObject({
      parts: [],
      end: { reason: "end" },
    });
  });

  it("an error in its place is told as one", () => {
    const body = { type: "error", error: { type: "api_error", message: "broken" } };
    expect(
      neutralEventsToResponse(messagesCodec.decodeResponse(body, { stop: [] })).error,
    ).toMatchObject({
      type: "api_error",
      message: "broken",
    });
  });

  it("what has no content is no answer", () => {
    expect(() => messagesCodec.decodeResponse({ choices: [] }, { stop: [] })).toThrow(
      MalformedResponseError,
    );
  });
});
