import { describe, expect, it } from "vitest";
import { checkChatStream } from "../../../src/conformance/grammar/chat.ts";
import type { SseEvent } from "../../../src/platform/sse/stream-event.ts";

type Json = Readonly<Record<string, unknown>>;

function frame(data: Json | string, name?: string): SseEvent {
  return { name, data: typeof data === "string" ? data : JSON.stringify(data) };
}

function chunk(delta: Json, finish: string | null = null, rest: Json = {}): Json {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const head = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
  return { ...head, choices, ...rest };
}

function call(index: number | undefined, rest: Json): Json {
  return chunk({ tool_calls: [{ index, ...rest }] });
}

const start = frame(chunk({ role: "assistant", content: null }));
const hello = frame(chunk({ content: "hello" }));
const finish = frame(chunk({}, "stop"));
const done = frame("[DONE]");
const named = { id: "a", type: "function", function: { name: "f", arguments: "" } };
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const none = { usage: null };
const usageFrame = frame(chunk({}, null, { choices: [], usage }));

/** The same chunk with `usage: null`. */
function promised({ data }: SseEvent): SseEvent {
  return frame({ ...(JSON.parse(data) as Json), ...none });
}

describe("grammar of chat streams: accepted", () => {
  it.each<[string, readonly SseEvent[]]>([
    ["words", [start, hello, finish, done]],
    ["nothing said", [start, finish, done]],
    [
      "interleaved calls",
      [
        start,
        frame(call(0, named)),
        frame(call(1, { ...named, id: "b" })),
        frame(call(0, { function: { arguments: "{}" } })),
        frame(chunk({}, "tool_calls")),
        done,
      ],
    ],
    [
      "a custom call",
      [start, frame(call(0, { id: "a", type: "custom", custom: { name: "f" } })), finish, done],
    ],
    ["usage", [promised(start), promised(finish), usageFrame, done]],
    ["an error", [start, hello, frame({ error: { message: "cut" } })]],
    ["an error alone", [frame({ error: { message: "cut" } })]],
  ])("%s", (_, events) => {
    expect(checkChatStream(events)).toEqual([]);
  });
});

describe("grammar of chat streams: faults", () => {
  it.each<[string, number, readonly SseEvent[]]>([
    ["empty", 1, [done]],
    ["done", 2, [start, finish]],
    ["after-end", 3, [start, finish, done, hello]],
    ["after-end", 2, [start, frame({ error: { message: "x" } }), done]],
    ["event-name", 1, [start, frame(chunk({}, "stop"), "message"), done]],
    ["json", 1, [start, frame("{"), finish, done]],
    ["json", 1, [start, frame("[1]"), finish, done]],
    ["error-shape", 1, [start, frame({ error: "text" })]],
    ["object", 1, [start, frame(chunk({}, "stop", { object: "x" })), done]],
    ["identity", 1, [start, frame(chunk({}, "stop", { id: "other" })), done]],
    ["identity", 0, [frame(chunk({ role: "assistant" }, "stop", { id: 1 })), done]],
    ["choices", 1, [start, frame({ ...chunk({}), choices: undefined }), finish, done]],
    ["delta", 1, [start, frame({ ...chunk({}), choices: [{ index: 0 }] }), finish, done]],
    [
      "choice-index",
      0,
      [
        frame({ ...chunk({}), choices: [{ delta: { role: "assistant" }, finish_reason: "stop" }] }),
        done,
      ],
    ],
    ["role", 0, [hello, finish, done]],
    ["words", 1, [start, frame(chunk({ content: [] })), finish, done]],
    ["tool-calls", 1, [start, frame(chunk({ tool_calls: {} })), finish, done]],
    ["tool-index", 1, [start, frame(call(1, named)), finish, done]],
    ["tool-index", 1, [start, frame(call(undefined, named)), finish, done]],
    ["tool-start", 1, [start, frame(call(0, { function: { name: "f" } })), finish, done]],
    ["finish", 2, [start, done]],
    ["finish-word", 1, [start, frame(chunk({}, "end_turn")), done]],
    ["after-finish", 2, [start, finish, hello, done]],
    ["usage-last", 3, [promised(start), promised(finish), usageFrame, promised(hello), done]],
    ["usage-alone", 1, [promised(start), frame(chunk({}, "stop", { usage })), done]],
    ["usage-null", 0, [start, promised(finish), usageFrame, done]],
  ])("%s at %i", (rule, event, events) => {
    expect(checkChatStream(events)).toContainEqual(expect.objectContaining({ rule, event }));
  });
});
