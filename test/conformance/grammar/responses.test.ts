import { describe, expect, it } from "vitest";
import { checkResponsesStream } from "../../../src/conformance/grammar/responses.ts";
import type { SseEvent } from "../../../src/platform/sse/stream-event.ts";

type Data = Record<string, unknown>;

const settings = {
  object: "response",
  created_at: 1,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: "m",
  parallel_tool_calls: true,
  temperature: null,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: null,
};

const usage = {
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 1,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 2,
};

const part = { type: "output_text", text: "hi", annotations: [], logprobs: [] };
const message = {
  id: "msg_1",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [part],
};
const call = {
  id: "fc_1",
  type: "function_call",
  status: "completed",
  arguments: "{}",
  call_id: "call_1",
  name: "f",
};
const thought = {
  id: "rs_1",
  type: "reasoning",
  status: "completed",
  summary: [{ type: "summary_text", text: "hm" }],
};

const atText = { item_id: "msg_1", output_index: 1, content_index: 0 };
const atCall = { item_id: "fc_1", output_index: 2 };
const atThought = { item_id: "rs_1", output_index: 0, summary_index: 0 };

function response(status: string, more: Data = {}): Data {
  return { id: "resp_1", status, output: [], usage: null, ...settings, ...more };
}

/** A right stream with a thought, a text and a call; numbers are given last. */
function rightStream(): Data[] {
  return [
    { type: "response.created", response: response("in_progress") },
    { type: "response.in_progress", response: response("in_progress") },
    added(0, { ...thought, summary: [], status: "in_progress" }),
    {
      type: "response.reasoning_summary_part.added",
      ...atThought,
      part: { type: "summary_text", text: "" },
    },
    { type: "response.reasoning_summary_text.delta", ...atThought, delta: "hm" },
    { type: "response.reasoning_summary_text.done", ...atThought, text: "hm" },
    { type: "response.reasoning_summary_part.done", ...atThought, part: thought.summary[0] },
    done(0, thought),
    added(1, { ...message, content: [], status: "in_progress" }),
    { type: "response.content_part.added", ...atText, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...atText, delta: "h", logprobs: [] },
    { type: "response.output_text.delta", ...atText, delta: "i", logprobs: [] },
    { type: "response.output_text.done", ...atText, text: "hi", logprobs: [] },
    { type: "response.content_part.done", ...atText, part },
    done(1, message),
    added(2, { ...call, arguments: "", status: "in_progress" }),
    { type: "response.function_call_arguments.delta", ...atCall, delta: "{}" },
    { type: "response.function_call_arguments.done", ...atCall, arguments: "{}" },
    done(2, call),
    {
      type: "response.completed",
      response: response("completed", { output: [thought, message, call], usage }),
    },
  ];
}

function added(place: number, item: Data): Data {
  return { type: "response.output_item.added", output_index: place, item };
}

function done(place: number, item: Data): Data {
  return { type: "response.output_item.done", output_index: place, item };
}

function streamed(events: readonly Data[]): readonly SseEvent[] {
  return events.map((data, index) => ({
    name: String(data["type"]),
    data: JSON.stringify({ sequence_number: index, ...data }),
  }));
}

function rulesOf(events: readonly SseEvent[]): readonly string[] {
  return [...new Set(checkResponsesStream(events).map(({ rule }) => rule))];
}

/** The right stream with members of the event of that type changed. */
function changed(type: string, change: Data, which = 0): readonly SseEvent[] {
  const events = rightStream();
  const place = events
    .map((event, index) => (event["type"] === type ? index : -1))
    .filter((index) => index >= 0)[which];
  return streamed(
    events.map((event, index) => (index === place ? { ...event, ...change } : event)),
  );
}

function without(...types: readonly string[]): readonly SseEvent[] {
  return streamed(rightStream().filter(({ type }) => !types.includes(String(type))));
}

function withAfter(...events: readonly Data[]): readonly SseEvent[] {
  return streamed([...rightStream(), ...events]);
}

const error = { type: "error", code: "server_error", message: "x", param: null };

describe("checkResponsesStream()", () => {
  it("finds nothing wrong with a right stream", () => {
    expect(checkResponsesStream(streamed(rightStream()))).toEqual([]);
  });

  it("takes an error alone, and behind a failure", () => {
    expect(rulesOf(streamed([error]))).toEqual([]);
    const failed = {
      type: "response.failed",
      response: response("failed", { error: { code: "server_error", message: "x" } }),
    };
    const begun = rightStream().slice(0, 2);
    expect(rulesOf(streamed([...begun, failed]))).toEqual([]);
    expect(rulesOf(streamed([...begun, failed, error]))).toEqual([]);
    expect(rulesOf(streamed([...begun, failed, error, error]))).toEqual(["after-end"]);
  });

  it.each([
    ["json", [...streamed(rightStream()).slice(0, -1), { name: "response.completed", data: "{" }]],
    ["event-name", streamed(rightStream()).map((event) => ({ ...event, name: undefined }))],
    ["sequence", changed("response.completed", { sequence_number: 40 })],
    ["sequence", changed("response.created", { sequence_number: 1 })],
    ["created-first", without("response.created")],
    ["created-once", changed("response.in_progress", { type: "response.created" })],
    ["known-event", changed("response.output_text.done", { type: "ping" })],
    ["after-end", withAfter(error)],
    ["after-end", withAfter({ type: "response.in_progress", response: response("in_progress") })],
    ["terminal", without("response.completed")],
    [
      "response-id",
      changed("response.completed", { response: response("completed", { id: "resp_2" }) }),
    ],
    [
      "response-fields",
      changed("response.created", { response: { id: "resp_1", status: "in_progress" } }),
    ],
    ["status", changed("response.completed", { response: response("in_progress") })],
    ["item-added", without("response.output_item.added")],
    ["output-index", changed("response.output_item.added", { output_index: 0 }, 1)],
    ["output-index", changed("response.output_item.added", { output_index: 7 }, 2)],
    ["output-index", changed("response.output_item.added", { output_index: "0" })],
    ["item-id", changed("response.output_text.delta", { item_id: "msg_2" })],
    ["item-id", changed("response.output_item.done", { item: { ...message, id: "msg_2" } }, 1)],
    [
      "item-id",
      changed("response.output_item.added", { item: { ...message, content: [], id: "" } }, 1),
    ],
    ["item-id", changed("response.output_item.added", { item: { ...message, id: "rs_1" } }, 1)],
    ["call-id", changed("response.output_item.added", { item: { ...call, call_id: "" } }, 2)],
    ["call-id", changed("response.output_item.added", { item: { ...call, call_id: "fc_1" } }, 2)],
    ["call-name", changed("response.output_item.added", { item: { ...call, name: undefined } }, 2)],
    [
      "item-type",
      changed("response.output_text.delta", { type: "response.function_call_arguments.delta" }),
    ],
    ["part-added", without("response.content_part.added")],
    ["part-added", without("response.reasoning_summary_part.added")],
    ["part-index", changed("response.content_part.added", { content_index: 1 })],
    ["part-open", without("response.content_part.done")],
    ["text-done", without("response.output_text.done")],
    ["text-done", without("response.function_call_arguments.done")],
    ["text-done", changed("response.output_text.done", { text: "ho" })],
    ["text-done", changed("response.content_part.done", { part: { ...part, text: "ho" } })],
    ["logprobs", changed("response.output_text.delta", { logprobs: undefined })],
    ["item-open", without("response.output_item.done")],
    ["item-done", changed("response.output_item.done", { item: { ...call, arguments: "" } }, 2)],
    [
      "item-status",
      changed("response.output_item.done", { item: { ...call, status: "in_progress" } }, 2),
    ],
    ["output", changed("response.completed", { response: response("completed", { usage }) })],
    [
      "usage",
      changed("response.completed", {
        response: response("completed", { usage: { input_tokens: 1 } }),
      }),
    ],
    [
      "incomplete-reason",
      changed("response.completed", {
        type: "response.incomplete",
        response: response("incomplete"),
      }),
    ],
    [
      "failed-error",
      changed("response.completed", { type: "response.failed", response: response("failed") }),
    ],
    ["error", streamed([{ type: "error", message: "x" }])],
  ] as const)("finds a breach of %s", (rule, events) => {
    expect(rulesOf(events)).toContain(rule);
  });
});
