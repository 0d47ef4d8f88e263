import { describe, expect, it } from "vitest";
import { chatCodec } from "../../../src/dialect/chat/codec.ts";
import { MalformedResponseError } from "../../../src/dialect/codec.ts";
import { neutralEventsToResponse } from "../../../src/dialect/neutral-response.ts";
import type { NeutralEvent } from "../../../src/dialect/neutral-event.ts";
import { chunk, readAll, readText, sse } from "./contexts.ts";

type Json = Readonly<Record<string, unknown>>;

/** What an upstream's chunks, `[DONE]` behind them, add up to. */
function answerOf(...chunks: readonly Json[]) {
  return neutralEventsToResponse(readText(sse(...chunks, "[DONE]")));
}

function calls(...pieces: readonly Json[]): Json {
  return chunk({ tool_calls: pieces });
}

function piece(index: number | undefined, id: string, name: string, text: string): Json {
  return { index, id, type: "function", function: { name, arguments: text } };
}

function more(index: number | undefined, text: string): Json {
  return { index, function: { arguments: text } };
}

/** Ids, names and arguments of the calls. */
function told(...chunks: readonly Json[]): readonly string[] {
  return answerOf(...chunks).parts.map((part) =>
    part.type === "tool-call" ? `${part.id} ${part.name} ${part.arguments}` : part.type,
  );
}

/** The kinds of events, parts by their number. */
function outline(events: readonly NeutralEvent[]): readonly string[] {
  return events.map((event) => {
    if (event.type === "part-start") return `${event.index} ${event.part.type}`;
    if (event.type === "part-delta") return `${event.index} + ${event.delta.type}`;
    return event.type === "part-end" ? `${event.index} end` : event.type;
  });
}

const finish = chunk({}, "tool_calls");

describe("calls of an upstream's stream", () => {
  it("two calls, one behind the other", () => {
    expect(
      told(
        calls(piece(0, "a", "f", "")),
        calls(more(0, "{}")),
        calls(piece(1, "b", "g", "{}")),
        finish,
      ),
    ).toEqual(["a f {}", "b g {}"]);
  });

  it("interleaved pieces stay with their calls", () => {
    const chunks = [
      calls(piece(0, "a", "f", "")),
      calls(piece(1, "b", "g", "")),
      calls(more(0, '{"x":')),
      calls(more(1, '{"y":')),
      calls(more(0, "1}"), more(1, "2}")),
      finish,
    ];
    expect(told(...chunks)).toEqual(['a f {"x":1}', 'b g {"y":2}']);
    expect(outline(readText(sse(...chunks, "[DONE]")))).toEqual([
      "response-start",
      "0 tool-call",
      "1 tool-call",
      "0 + arguments",
      "1 + arguments",
      "0 + arguments",
      "1 + arguments",
      "0 end",
      "1 end",
      "response-end",
    ]);
  });

  it("no index, told apart by id", () => {
    expect(
      told(
        calls(piece(undefined, "a", "f", '{"x":')),
        calls({ ...more(undefined, "1}"), id: "a" }),
        calls(piece(undefined, "b", "g", "{")),
        calls(more(undefined, "}")),
        finish,
      ),
    ).toEqual(['a f {"x":1}', "b g {}"]);
  });

  it("index 0 again with another id", () => {
    expect(
      told(
        calls(piece(0, "a", "f", '{"x":')),
        calls(more(0, "1}")),
        calls(piece(0, "b", "f", "{}")),
        calls({ ...more(0, ""), id: "a" }),
        finish,
      ),
    ).toEqual(['a f {"x":1}', "b f {}"]);
  });

  it("index 0 again, pieces interleaved by id", () => {
    expect(
      told(
        calls(piece(0, "a", "f", "{")),
        calls(piece(0, "b", "g", "[")),
        calls({ ...more(0, "}"), id: "a" }),
        calls({ ...more(0, "]"), id: "b" }),
        finish,
      ),
    ).toEqual(["a f {}", "b g []"]);
  });

  it("one id for two indexes", () => {
    expect(told(calls(piece(0, "a", "f", "{}"), piece(1, "a", "g", "[]")), finish)).toEqual([
      "a f {}",
      "a g []",
    ]);
  });

  it("neither index nor id: a new name, or the same behind whole arguments, is a new call", () => {
    expect(
      told(
        calls(piece(undefined, "", "f", "{")),
        calls(piece(undefined, "", "f", "}")),
        calls(piece(undefined, "", "f", "{}")),
        calls(piece(undefined, "", "g", "{}")),
        finish,
      ),
    ).toEqual([" f {}", " f {}", " g {}"]);
  });

  it("an id that changes with every piece", () => {
    expect(
      told(calls(piece(0, "a", "f", "{")), calls({ ...more(0, "}"), id: "z" }), finish),
    ).toEqual(["a f {}"]);
  });

  it("id and name repeated in every piece", () => {
    expect(told(calls(piece(0, "a", "f", "{")), calls(piece(0, "a", "f", "}")), finish)).toEqual([
      "a f {}",
    ]);
  });

  it("id, name and arguments in a single delta", () => {
    expect(told(calls(piece(0, "a", "f", '{"x":1}')), finish)).toEqual(['a f {"x":1}']);
  });

  it("a name that comes late", () => {
    expect(
      told(
        calls({ index: 0, id: "a", function: { arguments: "{" } }),
        calls(piece(0, "", "f", "}")),
        finish,
      ),
    ).toEqual(["a f {}"]);
  });

  it("arguments that are an object, or null", () => {
    expect(
      told(
        calls({ index: 0, id: "a", function: { name: "f", arguments: { x: 1 } } }),
        calls({ index: 1, id: "b", function: { name: "g", arguments: null } }),
        finish,
      ),
    ).toEqual(['a f {"x":1}', "b g "]);
  });

  it("a custom tool's text, and the deprecated function_call", () => {
    const custom = { index: 0, id: "a", type: "custom", custom: { name: "p", input: "te" } };
    const { parts } = answerOf(calls(custom), calls({ index: 0, custom: { input: "xt" } }), finish);
    expect(parts).toMatchObject([{ kind: "custom", name: "p", arguments: "text" }]);
    expect(
      told(
        chunk({ function_call: { name: "f", arguments: "{" } }),
        chunk({ function_call: { arguments: "}" } }),
        chunk({}, "function_call"),
      ),
    ).toEqual([" f {}"]);
  });

  it("a call that never has a name is no answer", () => {
    expect(() => answerOf(calls(more(0, "{}")), finish)).toThrow(MalformedResponseError);
  });
});

describe("words of an upstream's stream", () => {
  it("thinks, then speaks, without an empty text", () => {
    const events = readText(
      sse(
        chunk({ role: "assistant", content: "" }),
        chunk({ content: "", reasoning_content: "hm" }),
        chunk({ content: "hi", reasoning_content: null }),
        chunk({}, "stop"),
        "[DONE]",
      ),
    );
    expect(outline(events)).toEqual([
      "response-start",
      "0 reasoning",
      "0 + text",
      "0 + encrypted-reasoning",
      "0 end",
      "1 text",
      "1 + text",
      "1 end",
      "response-end",
    ]);
  });

  it("splits a chunk that holds everything", () => {
    const { parts } = answerOf(
      chunk({ content: "t", reasoning: "r", tool_calls: [piece(0, "a", "f", "{}")] }, "tool_calls"),
    );
    expect(parts.map(({ type }) => type)).toEqual(["reasoning", "text", "tool-call"]);
  });

  it("reason, call, reason, text are four parts", () => {
    const { parts } = answerOf(
      chunk({ reasoning_content: "r1" }),
      calls(piece(0, "a", "f", "{")),
      chunk({ reasoning_content: "r2" }),
      calls(more(0, "}")),
      chunk({ content: "t" }),
      finish,
    );
    expect(parts).toMatchObject([
      { type: "reasoning", texts: ["r1"] },
      { type: "tool-call", arguments: "{}" },
      { type: "reasoning", texts: ["r2"] },
      { type: "text", text: "t" },
    ]);
  });

  it.each([
    ["reasoning_content", { reasoning_content: "r" }],
    ["reasoning", { reasoning: "r" }],
    ["reasoning_details", { reasoning_details: [{ type: "reasoning.text", text: "r" }] }],
    ["a summary", { reasoning_details: [{ type: "reasoning.summary", summary: "r" }] }],
    ["two names for one", { reasoning: "r", reasoning_details: [{ text: "r" }] }],
    [
      "a part of content",
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "r" }] }] },
    ],
  ])("reads thoughts in the field %s", (_, delta) => {
    expect(answerOf(chunk(delta), chunk({}, "stop")).parts).toEqual([
      { type: "reasoning", texts: ["r"], encrypted: { dialect: "dialect_chat", kind: "plain" } },
    ]);
  });

  it("content in parts, refusals and probabilities", () => {
    const { parts, end } = answerOf(
      chunk({
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      }),
      chunk({ refusal: "no" }, null),
      chunk({}, "stop"),
    );
    expect(parts).toMatchObject([
      { type: "text", text: "ab" },
      { type: "refusal", text: "no" },
    ]);
    expect(end).toMatchObject({ reason: "refusal", raw: "stop" });
    const logprobs = { content: [{ token: "a", logprob: -1, bytes: null, top_logprobs: [] }] };
    const choice = { index: 0, delta: { content: "a" }, logprobs, finish_reason: "stop" };
    expect(answerOf({ ...chunk({}), choices: [choice] }).parts).toMatchObject([
      { text: "a", logprobs: logprobs.content },
    ]);
  });

  it("sources", () => {
    const url_citation = { url: "http://a.test", title: "A", start_index: 0, end_index: 1 };
    const { parts } = answerOf(
      chunk({ content: "a" }),
      chunk({ annotations: [{ type: "url_citation", url_citation }, { type: "other" }] }, "stop"),
    );
    expect(parts).toMatchObject([
      { citations: [{ url: "http://a.test", title: "A", start: 0, end: 1 }] },
    ]);
  });

  it("takes a whole message for a delta", () => {
    const choice = {
      index: 0,
      message: { role: "assistant", content: "hi" },
      finish_reason: "stop",
    };
    expect(answerOf({ choices: [choice] }).parts).toMatchObject([{ text: "hi" }]);
  });

  it("reads the first of several choices", () => {
    const other = { index: 1, delta: { content: "x" }, finish_reason: "stop" };
    const both = { ...chunk({}), choices: [other, { index: 0, delta: { content: "a" } }] };
    const { parts, end } = answerOf(both, chunk({}, "length"));
    expect(parts).toMatchObject([{ text: "a" }]);
    expect(end?.reason).toBe("length");
  });
});

describe("ends of an upstream's stream", () => {
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

  it("tells usage of a later chunk before the end", () => {
    const events = readText(
      sse(chunk({ content: "a" }), chunk({}, "stop"), { choices: [], usage }, "[DONE]"),
    );
    expect(outline(events).slice(-3)).toEqual(["usage", "0 end", "response-end"]);
    expect(neutralEventsToResponse(events).usage).toMatchObject({ input: 3, output: 2 });
  });

  it("ends as soon as nothing more can come, whether or not the connection ends", () => {
    const decoder = chatCodec.decodeStream({ stop: [] });
    const push = (body: Json) =>
      outline(decoder.push({ name: undefined, data: JSON.stringify(body) }));
    push(chunk({ content: "a" }));
    expect(push(chunk({}, "stop", { usage }))).toEqual(["usage"]);
    expect(push({ choices: [], usage })).toEqual(["usage", "0 end", "response-end"]);
    expect(push({ error: { message: "late" } })).toEqual([]);
    expect(decoder.finish()).toEqual([]);
  });

  it("no [DONE] and no usage", () => {
    expect(
      neutralEventsToResponse(readText(sse(chunk({ content: "a" }, "stop")))).end?.reason,
    ).toBe("end");
  });

  it("without a finish_reason there is no end", () => {
    const { end, parts } = neutralEventsToResponse(readText(sse(chunk({ content: "a" }))));
    expect(parts).toMatchObject([{ text: "a" }]);
    expect(end).toBeUndefined();
  });

  it("[DONE] without a finish_reason is an end, whose reason nobody told", () => {
    expect(answerOf(chunk({ content: "a" })).end).toEqual({
      type: "response-end",
      reason: "end",
      raw: undefined,
    });
    expect(answerOf(calls(piece(0, "a", "f", "{}"))).end?.reason).toBe("tool-calls");
  });

  it("[DONE] alone is no answer", () => {
    expect(() => readText(sse("[DONE]"))).toThrow(MalformedResponseError);
  });

  it("says `stop` with calls and means the calls", () => {
    expect(answerOf(calls(piece(0, "a", "f", "{}")), chunk({}, "stop")).end).toEqual({
      type: "response-end",
      reason: "tool-calls",
      raw: "stop",
    });
  });

  it("cut off inside a call", () => {
    const { parts, end } = answerOf(calls(piece(0, "a", "f", '{"x":')), chunk({}, "length"));
    expect(parts).toMatchObject([{ arguments: '{"x":' }]);
    expect(end?.reason).toBe("length");
  });

  it("tells the stop sequence that was met, if it was asked for", () => {
    const choice = { index: 0, delta: { content: "a" }, finish_reason: "stop", stop_reason: "END" };
    const stream = sse({ choices: [choice] }, "[DONE]");
    const stopped = { reason: "stop-sequence", stopSequence: "END" };
    expect(neutralEventsToResponse(readText(stream, ["END"])).end).toMatchObject(stopped);
    expect(neutralEventsToResponse(readText(stream)).end).toMatchObject({ reason: "end" });
  });

  it("takes the later of two usages, and those in every chunk", () => {
    const early = chunk({ content: "a" }, null, {
      usage: { prompt_tokens: 3, completion_tokens: 1 },
    });
    expect(answerOf(early, chunk({}, "stop", { usage })).usage).toMatchObject({ output: 2 });
    expect(answerOf(chunk({ content: "a" }, "stop", { x_groq: { usage } })).usage).toMatchObject({
      input: 3,
    });
  });
});

describe("failures in an upstream's stream", () => {
  it.each([
    [{ error: { message: "m", type: "t", code: "c" } }, { type: "t", code: "c", message: "m" }],
    [
      { error: { message: "m", code: 502 }, choices: [] },
      { type: undefined, code: "502", message: "m" },
    ],
    [{ error: "m" }, { type: undefined, code: undefined, message: "m" }],
    [
      { error: "e", message: "m", type: "t" },
      { type: "t", code: undefined, message: "m" },
    ],
  ])("the upstream's own words of an error are told: %j", (body, error) => {
    const events = readText(sse(chunk({ content: "a" }), body, chunk({}, "stop"), "[DONE]"));
    expect(events.at(-1)).toEqual({ type: "error", error });
  });

  it("is an event called error", () => {
    const data = JSON.stringify({ message: "m", type: "overloaded_error" });
    expect(readAll([{ name: "error", data }])).toEqual([
      { type: "error", error: { type: "overloaded_error", code: undefined, message: "m" } },
    ]);
  });

  it("is an event called error, whatever it says", () => {
    expect(readAll([{ name: "error", data: "overloaded" }])).toMatchObject([
      { error: { message: "overloaded" } },
    ]);
  });

  it.each(["error", "insufficient_system_resource"])("is an answer that ended with %s", (word) => {
    const events = readText(sse(chunk({ content: "a" }), chunk({}, word), "[DONE]"));
    expect(events.at(-1)).toMatchObject({ type: "error", error: { code: word } });
  });

  it("is not `error: null`", () => {
    expect(answerOf(chunk({ content: "a" }, "stop", { error: null })).error).toBeUndefined();
  });

  it.each(["{", "<html>", "[1]", '"text"'])("a frame that is no chunk is an error: %s", (data) => {
    expect(() => readText(sse(chunk({ content: "a" }), data))).toThrow(MalformedResponseError);
  });

  it("ignores rubbish behind the end", () => {
    const stream = sse(chunk({ content: "a" }, "stop"), "{");
    expect(neutralEventsToResponse(readText(stream)).end).toMatchObject({ reason: "end" });
  });
});

describe("what an upstream's stream may hold beside its chunks", () => {
  it("ids that change, foreign events, frames without choices", () => {
    const stream = [
      "event: ping\ndata: {}\n\n",
      "data:\n\n",
      sse({ choices: [], prompt_filter_results: [] }, chunk({ content: "a" }, null, { id: "1" })),
      sse({ type: "note" }, chunk({ content: "b" }, "stop", { id: "2" }), "[DONE]"),
    ].join("");
    expect(neutralEventsToResponse(readText(stream)).parts).toMatchObject([{ text: "ab" }]);
  });

  it("keeps two streams apart", () => {
    const streams = ["a", "b"].map((content) =>
      readText(sse(chunk({ content }, "stop"), "[DONE]")),
    );
    const texts = streams.map((events) => neutralEventsToResponse(events).parts);
    expect(texts).toMatchObject([[{ text: "a" }], [{ text: "b" }]]);
  });
});
