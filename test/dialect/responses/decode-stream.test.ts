import { describe, expect, it } from "vitest";
import { MalformedResponseError } from "../../../src/dialect/codec.ts";
import { decodeResponsesResponse } from "../../../src/dialect/responses/decode-response.ts";
import { createResponsesStreamDecoder } from "../../../src/dialect/responses/decode-stream.ts";
import {
  neutralEventsToResponse,
  type NeutralResponse,
} from "../../../src/dialect/neutral-response.ts";
import type { NeutralEvent } from "../../../src/dialect/neutral-event.ts";
import { SseEventReader } from "../../../src/platform/sse/event-reader.ts";
import type { SseEvent } from "../../../src/platform/sse/stream-event.ts";
import { vendorEvents, vendorOutput, vendorResponse, vendorStream } from "./vendor-stream.ts";

type Data = Record<string, unknown>;

/** The events that these pieces of a stream's bytes hold. */
function readPieces(...pieces: readonly Buffer[]): readonly SseEvent[] {
  const reader = new SseEventReader(1024 * 1024);
  return [...pieces.flatMap((piece) => [...reader.push(piece)]), ...reader.finish()];
}

function decoded(...pieces: readonly Buffer[]): readonly NeutralEvent[] {
  const decoder = createResponsesStreamDecoder();
  const events = readPieces(...pieces);
  return [...events.flatMap((event) => [...decoder.push(event)]), ...decoder.finish()];
}

function decodedEvents(events: readonly Data[]): readonly NeutralEvent[] {
  return decoded(Buffer.from(vendorStream(events)));
}

function folded(events: readonly Data[]): NeutralResponse {
  return neutralEventsToResponse(decodedEvents(events));
}

function only(...types: readonly string[]): readonly Data[] {
  return vendorEvents.filter(({ type }) => types.some((name) => type === `response.${name}`));
}

const whole = decodeResponsesResponse(vendorResponse());

describe("decodeStream()", () => {
  it("tells what the whole answer says", () => {
    expect(folded(vendorEvents)).toEqual(whole);
  });

  it("tells every part once, in order, and one end", () => {
    const events = decodedEvents(vendorEvents);
    const starts = events.flatMap((event) => (event.type === "part-start" ? [event] : []));
    expect(starts.map(({ index, part }) => [index, part.type])).toEqual([
      [0, "reasoning"],
      [1, "text"],
      [2, "refusal"],
      [3, "tool-call"],
      [4, "tool-call"],
    ]);
    const ends = events.flatMap((event) => (event.type === "part-end" ? [event.index] : []));
    expect(new Set(ends)).toEqual(new Set([0, 1, 2, 3, 4]));
    expect(ends).toHaveLength(5);
    expect(events.at(0)).toEqual({ type: "response-start" });
    expect(events.at(-1)).toMatchObject({ type: "response-end", reason: "tool-calls" });
  });

  it("[stream.bytes] gets the same wherever the bytes are cut, with LF, CRLF and CR", () => {
    const stream = vendorStream(vendorEvents.slice(18, 25));
    const expected = JSON.stringify(readPieces(Buffer.from(stream)));
    const got = new Set<string>();
    for (const ending of ["\n", "\r\n", "\r"]) {
      const bytes = Buffer.from(stream.replaceAll("\n", ending));
      for (let at = 0; at <= bytes.length; at += 1) {
        got.add(JSON.stringify(readPieces(bytes.subarray(0, at), bytes.subarray(at))));
      }
      expect(decoded(bytes)).toEqual(decodedEvents(vendorEvents.slice(18, 25)));
    }
    expect([...got]).toEqual([expected]);
  });

  it("[stream.changing-ids] goes by the place of an item when its ids change on the way", () => {
    const rotated = vendorEvents.map((event, index) =>
      "item_id" in event ? { ...event, item_id: `rotated_${index}` } : event,
    );
    expect(folded(rotated)).toEqual(whole);
  });

  it.each([
    ["only the last event", only("completed")],
    ["only whole items", only("created", "output_item.done", "completed")],
    ["no deltas", vendorEvents.filter(({ type }) => !String(type).endsWith(".delta"))],
    [
      "no announcements of parts",
      vendorEvents.filter(({ type }) => !String(type).includes("_part.added")),
    ],
    ["no ends", vendorEvents.filter(({ type }) => !String(type).endsWith(".done"))],
    ["no first event", vendorEvents.slice(2)],
    ["no event names", vendorEvents],
  ])("understands a server that sends %s", (what, events) => {
    const text = vendorStream(events);
    const bytes = Buffer.from(
      what === "no event names" ? text.replaceAll(/^event: .*\n/gm, "") : text,
    );
    const { parts, ...rest } = neutralEventsToResponse(decoded(bytes));
    expect(rest).toEqual({ end: whole.end, error: whole.error, usage: whole.usage });
    expect(parts.map(textOf)).toEqual(whole.parts.map(textOf));
  });

  it("understands a server that sends texts and arguments only in their done events", () => {
    const events = vendorEvents
      .filter(({ type }) => !/\.delta$|content_part\.done|output_item\.done/.test(String(type)))
      .map((event) =>
        event["type"] === "response.completed"
          ? { ...event, response: vendorResponse({ output: [] }) }
          : event,
      );
    const written = ({ parts }: NeutralResponse) =>
      parts.filter(({ type }) => type !== "reasoning").map(textOf);
    expect(written(folded(events))).toEqual(written(whole));
  });

  it("[stream.unknown-events] passes by what it does not know", () => {
    expect(
      decodedEvents(vendorEvents.filter(({ type }) => !String(type).includes("shiny"))),
    ).toEqual(decodedEvents(vendorEvents));
  });

  it("tells nothing twice when the last event leaves items out", () => {
    const output = vendorOutput.filter(({ type }) => type !== "web_search_call");
    const last = { type: "response.completed", response: vendorResponse({ output }) };
    expect(decodedEvents([...vendorEvents.slice(0, -1), last])).toEqual(
      decodedEvents(vendorEvents),
    );
  });

  const paid = { type: "function_call", id: "fc_1", call_id: "c1", name: "pay", arguments: "{}" };
  const more = { ...paid, id: "fc_2", call_id: "c2" };
  const hello = {
    type: "message",
    id: "m1",
    content: [{ type: "output_text", text: "hello", annotations: [] }],
  };
  const added = (item: Data, output_index: number): Data => ({
    type: "response.output_item.added",
    output_index,
    item,
  });
  const words = { type: "response.output_text.delta", output_index: 1, item_id: "m1" };
  const completed = (...output: readonly Data[]): Data => ({
    type: "response.completed",
    response: { status: "completed", output },
  });

  it.each([
    ["a call", [added({ ...paid, arguments: "" }, 1), completed(paid)], ["c1"]],
    [
      "a call in front of a new one",
      [added({ ...paid, arguments: "" }, 1), completed(paid, more)],
      ["c1", "c2"],
    ],
    ["a text", [{ ...words, delta: "hello" }, completed(hello)], ["hello"]],
    [
      "items of one id",
      [added({ ...paid, id: "x" }, 0), added({ ...more, id: "x" }, 1), completed(paid, more)],
      ["c1", "c2"],
    ],
  ])("reports %s once when the last event has it at another place", (_what, events, told) => {
    const parts = folded(events).parts.map((part) =>
      part.type === "tool-call" ? part.id : "text" in part && part.text,
    );
    expect(parts).toEqual(told);
  });

  it("passes by words behind the end of their part", () => {
    const place = vendorEvents.findIndex(({ type }) => type === "response.content_part.done");
    const late = vendorEvents.find(({ type }) => type === "response.output_text.delta");
    const events = vendorEvents.toSpliced(place + 1, 0, { ...late });
    expect(decodedEvents(events)).toEqual(decodedEvents(vendorEvents));
  });

  it("takes the thoughts of open models for readable reasoning", () => {
    const place = { item_id: "rs", output_index: 0, content_index: 0 };
    const { parts } = folded([
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { type: "reasoning", id: "rs" },
      },
      { type: "response.content_part.added", ...place, part: { type: "reasoning_text", text: "" } },
      { type: "response.reasoning_text.delta", ...place, delta: "hm" },
      { type: "response.reasoning_text.done", ...place, text: "hm" },
      { type: "response.completed", response: vendorResponse({ output: [] }) },
    ]);
    expect(parts).toEqual([{ type: "reasoning", texts: ["hm"], encrypted: undefined }]);
  });

  it("[ending.none] tells no end when the stream breaks off", () => {
    const events = decodedEvents(vendorEvents.slice(0, -1));
    expect(events.some(({ type }) => type === "response-end" || type === "error")).toBe(false);
  });

  it("[ending.failed-response] tells a failed response as an error, and what it cost", () => {
    const error = { code: "rate_limit_exceeded", message: "Slow down." };
    const failed = {
      type: "response.failed",
      response: vendorResponse({ status: "failed", error }),
    };
    const answer = folded([...vendorEvents.slice(0, 20), failed]);
    expect(answer.end).toBeUndefined();
    expect(answer.error).toEqual({ type: undefined, ...error });
    expect(answer.usage).toMatchObject({ output: 50 });
  });

  it.each([
    ["flat", { type: "error", code: "server_error", message: "Down.", param: "input[0]" }],
    [
      "nested",
      {
        type: "error",
        error: { type: undefined, code: "server_error", message: "Down.", param: "input[0]" },
      },
    ],
  ])("takes an error event that is %s", (_form, event) => {
    const events = decodedEvents([event, ...vendorEvents]);
    expect(events).toEqual([
      { type: "response-start" },
      {
        type: "error",
        error: { type: undefined, code: "server_error", message: "Down.", param: "input[0]" },
      },
    ]);
  });

  it.each([
    ["max_output_tokens", "length"],
    ["content_filter", "refusal"],
    ["max_messages", "length"],
    ["something new", "length"],
  ])(
    "[ending.failed-response] tells a response that is incomplete for %s as %s, never as whole",
    (reason, expected) => {
      const response = vendorResponse({ status: "incomplete", incomplete_details: { reason } });
      const { end } = folded([
        ...vendorEvents.slice(0, -1),
        { type: "response.incomplete", response },
      ]);
      expect(end).toEqual({ type: "response-end", reason: expected, raw: reason });
      expect(decodeResponsesResponse(response).end).toEqual(end);
    },
  );

  it.each([undefined, ""])("fails on a call that ends with %j for a name", (name) => {
    const decoder = createResponsesStreamDecoder();
    const item = { id: "fc_1", type: "function_call", call_id: "a", arguments: "{}", name };
    const event = (type: string) => ({
      name: undefined,
      data: JSON.stringify({ type: `response.output_item.${type}`, output_index: 0, item }),
    });
    expect(decoder.push(event("added")).filter(({ type }) => type === "part-start")).toEqual([]);
    expect(() => decoder.push(event("done"))).toThrow(MalformedResponseError);
  });

  it("[ending.malformed] fails on an event that is not JSON", () => {
    const decoder = createResponsesStreamDecoder();
    expect(() => decoder.push({ name: "response.created", data: '{"type":' })).toThrow(
      MalformedResponseError,
    );
    expect(() => createResponsesStreamDecoder().push({ name: undefined, data: "[1]" })).toThrow(
      MalformedResponseError,
    );
  });

  it("is deaf after the end, and to a `[DONE]` that nobody asked for", () => {
    const decoder = createResponsesStreamDecoder();
    expect(decoder.push({ name: undefined, data: "[DONE]" })).toEqual([]);
    for (const { name, data } of new SseEventReader(1024 * 1024).push(
      Buffer.from(vendorStream(vendorEvents)),
    )) {
      decoder.push({ name, data });
    }
    expect(decoder.push({ name: "response.completed", data: "garbage" })).toEqual([]);
  });

  it("keeps two streams apart", () => {
    const first = createResponsesStreamDecoder();
    const second = createResponsesStreamDecoder();
    const events = new SseEventReader(1024 * 1024).push(Buffer.from(vendorStream(vendorEvents)));
    const told = events.map((event) => [first.push(event), second.push(event)]);
    for (const [left, right] of told) expect(left).toEqual(right);
  });
});

function textOf(part: NeutralResponse["parts"][number]): unknown {
  if (part.type === "reasoning") return part.texts.join("");
  return part.type === "tool-call" ? part.arguments : part.text;
}

describe("decodeAnswer()", () => {
  it("reads texts with their sources, refusals, thoughts with their seal, both kinds of calls", () => {
    expect(whole.parts).toEqual([
      {
        type: "reasoning",
        texts: ["First. ", "Second."],
        encrypted: {
          dialect: "dialect_responses",
          kind: "encrypted",
          id: "rs_up",
          encryptedContent: "gAAAA-secret",
        },
      },
      {
        type: "text",
        text: "Grüße 🙂",
        logprobs: [],
        citations: [
          { url: "https://news.example/a", title: "A", citedText: undefined, start: 0, end: 5 },
        ],
      },
      { type: "refusal", text: "Not more.", logprobs: [], citations: [] },
      {
        type: "tool-call",
        kind: "function",
        id: "call_up_1",
        name: "look_up",
        namespace: undefined,
        arguments: '{"q":"ключ"}',
      },
      {
        type: "tool-call",
        kind: "custom",
        id: "call_up_2",
        name: "apply_patch",
        namespace: "files",
        arguments: "*** Begin",
      },
    ]);
  });

  it("[sum.to-messages] divides the input by its caches, so that the parts add up", () => {
    expect(whole.usage).toMatchObject({
      input: 7,
      cacheRead: 2000,
      cacheWrite: 300,
      output: 50,
      reasoning: 30,
    });
  });

  it("tells no counts that the upstream did not", () => {
    expect(decodeResponsesResponse(vendorResponse({ usage: null })).usage).toBeUndefined();
    const usage = {
      input_tokens: 5,
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: 9 },
    };
    expect(decodeResponsesResponse(vendorResponse({ usage })).usage).toMatchObject({
      input: 5,
      cacheRead: undefined,
      cacheWrite: undefined,
      reasoning: 2,
    });
  });

  it("takes a completed answer that refused for a refusal", () => {
    const content = [{ type: "refusal", refusal: "No." }];
    const { end } = decodeResponsesResponse(
      vendorResponse({ output: [{ type: "message", content }] }),
    );
    expect(end).toMatchObject({ reason: "refusal", raw: "completed" });
  });

  it.each([
    ["failed", { code: "server_error", message: "x" }],
    ["cancelled", null],
  ])("tells a response that is %s as an error", (status, error) => {
    const answer = decodeResponsesResponse(vendorResponse({ status, error }));
    expect(answer.end).toBeUndefined();
    expect(answer.error).toBeDefined();
  });

  it.each([
    ["no output", { output: undefined }],
    ["an answer that goes on", { status: "in_progress" }],
    ["an answer that waits", { status: "queued" }],
    ["a call of no tool", { output: [{ type: "function_call", call_id: "a", arguments: "{}" }] }],
    ["a call of a tool without a name", { output: [{ type: "custom_tool_call", name: "" }] }],
  ])("refuses %s", (_what, change) => {
    expect(() => decodeResponsesResponse(vendorResponse(change))).toThrow(MalformedResponseError);
  });
});
