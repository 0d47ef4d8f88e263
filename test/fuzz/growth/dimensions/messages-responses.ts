import type { JsonObject } from "../../../../src/dialect/json.ts";
import {
  addEach,
  longText,
  manyMembers,
  deepValues,
  repeat,
  type Dimension,
  type Dimensions,
  type ResponseDraft,
} from "../document.ts";
import { argumentTexts } from "./json-texts.ts";

function start(index: number, content_block: JsonObject): JsonObject {
  return { type: "content_block_start", index, content_block };
}

function delta(index: number, value: JsonObject): JsonObject {
  return { type: "content_block_delta", index, delta: value };
}

function stop(index: number): JsonObject {
  return { type: "content_block_stop", index };
}

const text = { type: "text", text: "" };
const thinking = { type: "thinking", thinking: "", signature: "" };
const usage = { input_tokens: 1, output_tokens: 1 };
const location = {
  type: "web_search_result_location",
  url: "https://a.example",
  title: "a",
  cited_text: "a",
};

function toolUse(id: string, name = "f"): JsonObject {
  return { type: "tool_use", id, name, input: {} };
}

/** Adds a block with `count` deltas; it is closed when all have come. */
function deltas(
  block: JsonObject,
  first: JsonObject[],
  value: JsonObject,
): Dimension<ResponseDraft> {
  return ({ groups, nextIndex }, count) => {
    const index = nextIndex();
    groups.push([start(index, block), ...first.map((one) => delta(index, one))]);
    addEach(
      groups,
      repeat(count, () => delta(index, value)),
    );
    groups.push([stop(index)]);
  };
}

/** Adds a block with one large delta. */
function large(block: JsonObject, make: (count: number) => JsonObject): Dimension<ResponseDraft> {
  return ({ groups, nextIndex }, count) => {
    const index = nextIndex();
    groups.push([start(index, block), delta(index, make(count)), stop(index)]);
  };
}

/** Adds `count` blocks, one after the other. */
function blocks(make: (index: number) => JsonObject): Dimension<ResponseDraft> {
  return ({ groups, nextIndex }, count) => {
    for (let made = 0; made < count; made++) {
      const index = nextIndex();
      groups.push([start(index, make(index)), stop(index)]);
    }
  };
}

/** Adds `count` blocks that are open together. */
function openBlocks(
  make: (index: number) => JsonObject,
  value: JsonObject,
): Dimension<ResponseDraft> {
  return ({ groups, nextIndex }, count) => {
    const indexes = repeat(count, nextIndex);
    for (const index of indexes) groups.push([start(index, make(index))]);
    for (const index of indexes) groups.push([delta(index, value)]);
  };
}

function events(event: JsonObject): Dimension<ResponseDraft> {
  return ({ groups }, count) =>
    addEach(
      groups,
      repeat(count, () => event),
    );
}

function json(partial_json: string): JsonObject {
  return { type: "input_json_delta", partial_json };
}

function said(value: string): JsonObject {
  return { type: "text_delta", text: value };
}

/** Whatever the stream of a messages upstream can repeat. */
export const messagesStreams: Dimensions<ResponseDraft> = {
  "text deltas": deltas(text, [], said("a")),
  "wide text deltas": deltas(text, [], said("é😀")),
  "long text": large(text, (count) => said(longText(count))),
  "long escaped text": large(text, (count) => said(longText(count, "\u0001"))),
  "text deltas behind a long text": (draft, count) =>
    deltas(text, [said(longText(count))], said("a"))(draft, count),
  "fragments behind a large broken input": (draft, count) => {
    const first = json(`{"input":"\\uZZZZ${longText(count)}`);
    deltas(toolUse("behind", "custom"), [first], json("b"))(draft, count);
  },
  "long text at the start": ({ groups, nextIndex }, count) => {
    const index = nextIndex();
    groups.push([start(index, { type: "text", text: longText(count) }), stop(index)]);
  },
  "text blocks": blocks(() => ({ type: "text", text: "a" })),
  "open text blocks": openBlocks(() => text, said("a")),
  "thinking deltas": deltas(thinking, [], { type: "thinking_delta", thinking: "a" }),
  "long thinking": large(thinking, (count) => ({
    type: "thinking_delta",
    thinking: longText(count),
  })),
  "thinking blocks": blocks(() => ({ ...thinking, thinking: "a", signature: "c2ln" })),
  "open thinking blocks": openBlocks(() => thinking, { type: "thinking_delta", thinking: "a" }),
  "redacted thinking blocks": blocks(() => ({ type: "redacted_thinking", data: "AAAA" })),
  signatures: deltas(thinking, [], { type: "signature_delta", signature: "c2ln" }),
  "a long signature": large(thinking, (count) => ({
    type: "signature_delta",
    signature: longText(count, "AAAA"),
  })),
  "parallel tool calls": blocks((index) => toolUse(`id${index}`)),
  "open tool calls": openBlocks((index) => toolUse(`id${index}`), json("{}")),
  "calls of equal ids": blocks(() => toolUse("equal")),
  "argument fragments": deltas(toolUse("fragments"), [json('{"a":"')], json("b")),
  "empty fragments": deltas(toolUse("empty"), [], json("")),
  "fragments of a custom tool": deltas(
    toolUse("custom", "custom"),
    [json('{"input":"')],
    json("b"),
  ),
  "fragments behind a broken escape": deltas(
    toolUse("escape", "custom"),
    [json('{"input":"\\uZZZZ')],
    json("b"),
  ),
  "a large broken input": large(toolUse("large", "custom"), (count) =>
    json(`{"input":"\\uZZZZ${longText(count)}`),
  ),
  ...Object.fromEntries(
    Object.entries(argumentTexts).map(([name, make]) => [
      name,
      large(toolUse(name), (count) => json(make(count))),
    ]),
  ),
  "input at the start": ({ groups, nextIndex }, count) => {
    const index = nextIndex();
    const block = { ...toolUse("start"), input: manyMembers(count, "a") };
    groups.push([start(index, block), stop(index)]);
  },
  "input of a server tool": large(
    { type: "server_tool_use", id: "s", name: "web_search", input: {} },
    (count) => json(JSON.stringify({ query: longText(count) })),
  ),
  "server tool blocks": blocks(() => ({ type: "server_tool_use", id: "s", name: "web_search" })),
  "search results": blocks(() => ({ type: "web_search_tool_result", content: [] })),
  "deep unknown block": ({ groups, nextIndex }, count) => {
    const index = nextIndex();
    groups.push([start(index, { type: "new", a: deepValues(count) }), stop(index)]);
  },
  citations: deltas(text, [said("a")], { type: "citations_delta", citation: location }),
  "citations at the start": ({ groups, nextIndex }, count) => {
    const index = nextIndex();
    const block = { type: "text", text: "a", citations: repeat(count, () => location) };
    groups.push([start(index, block), stop(index)]);
  },
  "unknown deltas": deltas(text, [], { type: "new_delta", a: 1 }),
  pauses: events({ type: "message_delta", delta: { stop_reason: "pause_turn" } }),
  "stop reasons": events({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage }),
  usages: events({ type: "message_delta", delta: {}, usage: { output_tokens: 2 } }),
  starts: events({ type: "message_start", message: { usage } }),
  pings: events({ type: "ping" }),
  "unknown events": events({ type: "new_event", a: 1 }),
  "unknown members": ({ groups }, count) =>
    groups.push([{ type: "ping", ...manyMembers(count, "u") }]),
};

/** Adds a block to a whole response. */
function wholeBlock(make: (count: number) => JsonObject): Dimension<ResponseDraft> {
  return ({ groups }, count) => groups.push([make(count)]);
}

/** Whatever a whole response of a messages upstream can repeat. */
export const messagesAnswers: Dimensions<ResponseDraft> = {
  "text blocks": events({ type: "text", text: "a" }),
  "long text": wholeBlock((count) => ({ type: "text", text: longText(count) })),
  "escaped text": wholeBlock((count) => ({ type: "text", text: longText(count, "\u0001") })),
  "wide text": wholeBlock((count) => ({ type: "text", text: longText(count, "\u{1f600}") })),
  "thinking blocks": events({ type: "thinking", thinking: "a", signature: "c2ln" }),
  "redacted thinking": events({ type: "redacted_thinking", data: "AAAA" }),
  "long thinking": wholeBlock((count) => ({
    type: "thinking",
    thinking: longText(count),
    signature: "c2ln",
  })),
  citations: wholeBlock((count) => ({
    type: "text",
    text: "a",
    citations: repeat(count, () => location),
  })),
  "tool calls": ({ groups, nextIndex }, count) =>
    addEach(
      groups,
      repeat(count, () => toolUse(`id${nextIndex()}`)),
    ),
  "calls of equal ids": events(toolUse("equal")),
  "custom tool calls": events({ ...toolUse("custom", "custom"), input: { input: "a" } }),
  "long input": wholeBlock((count) => ({ ...toolUse("long"), input: { a: longText(count) } })),
  "wide input": wholeBlock((count) => ({ ...toolUse("wide"), input: manyMembers(count, "a") })),
  "deep input": wholeBlock((count) => ({ ...toolUse("deep"), input: { a: deepValues(count) } })),
  "server tool blocks": events({ type: "server_tool_use", id: "s", name: "web_search", input: {} }),
  "search results": events({ type: "web_search_tool_result", content: [] }),
  "unknown members": ({ members }, count) => {
    Object.assign(members, manyMembers(count, "u"));
  },
};

/** Returns the events of a messages stream; blocks that are still open are closed. */
export function messagesEvents(given: readonly JsonObject[]): readonly JsonObject[] {
  return [
    { type: "message_start", message: { usage } },
    ...given,
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
    { type: "message_stop" },
  ];
}

/** Returns a whole messages response. */
export function messagesAnswer(
  { members }: ResponseDraft,
  content: readonly JsonObject[],
): JsonObject {
  const head = { id: "m", type: "message", role: "assistant", model: "m" };
  return { ...members, ...head, content, stop_reason: "end_turn", usage };
}
