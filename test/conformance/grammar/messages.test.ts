import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkMessagesStream } from "../../../src/conformance/grammar/messages.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import type { SseEvent } from "../../../src/platform/sse/stream-event.ts";

type Fields = Readonly<Record<string, unknown>>;

function named(...events: readonly Fields[]): readonly SseEvent[] {
  return events.map((event) => ({ name: String(event["type"]), data: JSON.stringify(event) }));
}

function rulesOf(...events: readonly Fields[]): readonly string[] {
  return checkMessagesStream(named(...events)).map(({ rule }) => rule);
}

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 0 },
};
const start = { type: "message_start", message };
const ended = {
  type: "message_delta",
  delta: { stop_reason: "end_turn" },
  usage: { output_tokens: 1 },
};
const stop = { type: "message_stop" };
const end = (index: number) => ({ type: "content_block_stop", index });
const block = (index: number, content: Fields) => ({
  type: "content_block_start",
  index,
  content_block: content,
});
const delta = (index: number, value: Fields) => ({
  type: "content_block_delta",
  index,
  delta: value,
});
const text = { type: "text", text: "" };
const said = { type: "text_delta", text: "a" };
const thinking = { type: "thinking", thinking: "", signature: "" };
const signed = { type: "signature_delta", signature: "s" };
const call = { type: "tool_use", id: "t", name: "f", input: {} };
const json = (partial: string) => ({ type: "input_json_delta", partial_json: partial });

describe("checkMessagesStream()", () => {
  it("takes what the vendor sends", () => {
    const path = "../../fixtures/messages/thinking-text-tools.1.chunks.txt";
    const fixture = readFileSync(join(import.meta.dirname, path), "utf8");
    expect(checkMessagesStream(parseEventStreamText(fixture))).toEqual([]);
  });

  it.each<[string, readonly Fields[]]>([
    ["an empty answer", [start, ended, stop]],
    ["pings and unknown events", [start, { type: "ping" }, { type: "shiny" }, ended, stop]],
    ["an error in the place of an answer", [{ type: "error", error: { type: "a", message: "" } }]],
    [
      "an error in the middle",
      [start, block(0, text), { type: "error", error: { type: "a", message: "b" } }],
    ],
    [
      "a call that a cap cut short",
      [
        start,
        block(0, call),
        delta(0, json('{"a')),
        end(0),
        { ...ended, delta: { stop_reason: "max_tokens" } },
        stop,
      ],
    ],
  ])("takes %s", (_name, events) => {
    expect(rulesOf(...events)).toEqual([]);
  });

  it.each<[string, string, readonly Fields[]]>([
    ["first", "something before the start", [{ type: "ping" }, ended, stop]],
    ["one-start", "two starts", [start, start, ended, stop]],
    [
      "message",
      "a start without an id",
      [{ ...start, message: { ...message, id: "" } }, ended, stop],
    ],
    [
      "message",
      "content at the start",
      [{ ...start, message: { ...message, content: [text] } }, ended, stop],
    ],
    [
      "usage",
      "a start without usage",
      [{ ...start, message: { ...message, usage: { input_tokens: 1 } } }, ended, stop],
    ],
    ["block-index", "a first index of 1", [start, block(1, text), end(1), ended, stop]],
    [
      "block-open",
      "a block inside a block",
      [start, block(0, text), block(1, text), end(1), ended, stop],
    ],
    ["block-open", "an end with an open block", [start, block(0, text), ended, stop]],
    ["block-late", "a block behind the end", [start, ended, block(0, text), end(0), stop]],
    [
      "block-shape",
      "a call without input",
      [start, block(0, { ...call, input: undefined }), end(0), ended, stop],
    ],
    [
      "call-id",
      "a call id with a colon",
      [start, block(0, { ...call, id: "a:0" }), end(0), ended, stop],
    ],
    ["delta-index", "a delta of no block", [start, delta(0, said), ended, stop]],
    [
      "delta-index",
      "a delta behind the stop",
      [start, block(0, text), end(0), delta(0, said), ended, stop],
    ],
    [
      "delta-type",
      "text in thinking",
      [start, block(0, thinking), delta(0, said), end(0), ended, stop],
    ],
    [
      "delta-shape",
      "a delta without text",
      [start, block(0, text), delta(0, { type: "text_delta" }), end(0), ended, stop],
    ],
    [
      "signature",
      "thinking behind its signature",
      [start, block(0, thinking), delta(0, signed), delta(0, signed), end(0), ended, stop],
    ],
    ["stop-index", "a stop of no block", [start, end(0), ended, stop]],
    [
      "input-json",
      "broken input",
      [start, block(0, call), delta(0, json('{"a')), end(0), ended, stop],
    ],
    ["one-delta", "two ends", [start, ended, ended, stop]],
    ["one-delta", "a stop without an end", [start, stop]],
    ["stop-reason", "an end without a reason", [start, { ...ended, delta: {} }, stop]],
    ["usage", "an end without usage", [start, { ...ended, usage: {} }, stop]],
    ["after-end", "something behind the stop", [start, ended, stop, { type: "ping" }]],
    ["end", "no stop", [start, ended]],
    [
      "error",
      "an error behind a clean end",
      [start, ended, { type: "error", error: { type: "a", message: "b" } }],
    ],
  ])("finds %s: %s", (rule, _name, events) => {
    expect(rulesOf(...events)).toEqual([rule]);
  });

  it("finds events without a name, and data that is no object", () => {
    const [first, ...rest] = named(start, ended, stop);
    const unnamed = { name: undefined, data: first?.data ?? "" };
    expect(checkMessagesStream([unnamed, ...rest])).toMatchObject([{ rule: "name", event: 0 }]);
    const broken = [...named(start), { name: "ping", data: "{" }, ...named(ended, stop)];
    expect(checkMessagesStream(broken)).toMatchObject([{ rule: "json", event: 1 }]);
  });
});
