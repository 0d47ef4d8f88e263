import type { JsonObject } from "../../../../src/dialect/json.ts";
import {
  addEach,
  longText,
  manyMembers,
  repeat,
  type Dimension,
  type Dimensions,
  type ResponseDraft,
} from "../document.ts";
import { argumentTexts } from "./json-texts.ts";

function added(output_index: number, item: JsonObject): JsonObject {
  return { type: "response.output_item.added", output_index, item };
}

function done(output_index: number, item: JsonObject): JsonObject {
  return { type: "response.output_item.done", output_index, item };
}

function piece(family: string, place: JsonObject, delta: string): JsonObject {
  return { type: `response.${family}.delta`, ...place, delta };
}

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const annotation = {
  type: "url_citation",
  url: "https://a.example",
  title: "a",
  start_index: 0,
  end_index: 1,
};
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "AAAA" };

function call(call_id: string, json = "", name = "f"): JsonObject {
  return { type: "function_call", call_id, name, arguments: json };
}

function message(...content: readonly JsonObject[]): JsonObject {
  return { type: "message", role: "assistant", content };
}

function text(value: string): JsonObject {
  return { type: "output_text", text: value, annotations: [] };
}

/** Adds an item, then pieces of it. */
function pieces(
  family: string,
  item: JsonObject,
  first: readonly string[],
  value: string,
): Dimension<ResponseDraft> {
  return ({ groups, nextIndex }, count) => {
    const output_index = nextIndex();
    const begun = first.map((one) => piece(family, { output_index }, one));
    groups.push([added(output_index, item), ...begun]);
    addEach(
      groups,
      repeat(count, () => piece(family, { output_index }, value)),
    );
  };
}

/** Adds an item that comes with one piece. */
function large(
  family: string,
  item: JsonObject,
  make: (count: number) => string,
): Dimension<ResponseDraft> {
  return ({ groups, nextIndex }, count) => {
    const output_index = nextIndex();
    groups.push([added(output_index, item), piece(family, { output_index }, make(count))]);
  };
}

/** Adds `count` items, each complete at once. */
function items(make: (index: number) => JsonObject): Dimension<ResponseDraft> {
  return ({ groups, nextIndex }, count) => {
    for (let made = 0; made < count; made++) {
      const index = nextIndex();
      groups.push([done(index, make(index))]);
    }
  };
}

/** Adds an item with one large piece and `count` small ones behind it. */
function piecesBehind(
  family: string,
  item: JsonObject,
  first: (count: number) => string,
): Dimension<ResponseDraft> {
  return (draft, count) => pieces(family, item, [first(count)], "a")(draft, count);
}

function events(make: (index: number) => JsonObject): Dimension<ResponseDraft> {
  return ({ groups }, count) => addEach(groups, repeat(count, make));
}

const callFamily = "function_call_arguments";
const summaryFamily = "reasoning_summary_text";

/** Whatever the stream of a Responses upstream can repeat. */
export const responsesStreams: Dimensions<ResponseDraft> = {
  "text deltas": pieces("output_text", message(), [], "a"),
  "wide text deltas": pieces("output_text", message(), [], "é😀"),
  "long text": large("output_text", message(), (count) => longText(count)),
  "long escaped text": large("output_text", message(), (count) => longText(count, "\u0001")),
  "text deltas behind a long text": piecesBehind("output_text", message(), (count) =>
    longText(count),
  ),
  "text deltas behind log probabilities": ({ groups, nextIndex }, count) => {
    const output_index = nextIndex();
    const logprobs = repeat(count, () => ({ token: "aa", logprob: 0 }));
    groups.push([{ ...piece("output_text", { output_index }, "a"), logprobs }]);
    addEach(
      groups,
      repeat(count, () => piece("output_text", { output_index }, "a")),
    );
  },
  "fragments behind a large broken input": piecesBehind(
    callFamily,
    call("behind", "", "custom"),
    (count) => `{"input":"\\uZZZZ${longText(count)}`,
  ),
  "content parts": ({ groups, nextIndex }, count) => {
    const output_index = nextIndex();
    addEach(
      groups,
      repeat(count, (content_index) => piece("output_text", { output_index, content_index }, "a")),
    );
  },
  "content parts at once": ({ groups, nextIndex }, count) =>
    groups.push([done(nextIndex(), message(...repeat(count, () => text("a"))))]),
  "message items": items(() => message(text("a"))),
  "open message items": ({ groups, nextIndex }, count) =>
    addEach(
      groups,
      repeat(count, () => piece("output_text", { output_index: nextIndex() }, "a")),
    ),
  refusals: pieces("refusal", message(), [], "a"),
  logprobs: events(() => ({
    ...piece("output_text", { output_index: 90_000 }, "a"),
    logprobs: [{ token: "a", logprob: 0 }],
  })),
  "logprobs at once": ({ groups, nextIndex }, count) => {
    const logprobs = repeat(count, () => ({ token: "a", logprob: 0 }));
    groups.push([{ ...piece("output_text", { output_index: nextIndex() }, "a"), logprobs }]);
  },
  annotations: ({ groups, nextIndex }, count) => {
    const output_index = nextIndex();
    groups.push([piece("output_text", { output_index }, "a")]);
    const type = "response.output_text.annotation.added";
    addEach(
      groups,
      repeat(count, () => ({ type, output_index, annotation })),
    );
  },
  "annotations at once": ({ groups, nextIndex }, count) => {
    const part = { ...text("a"), annotations: repeat(count, () => annotation) };
    groups.push([done(nextIndex(), message(part))]);
  },
  "reasoning deltas": pieces(summaryFamily, reasoning, [], "a"),
  "raw reasoning deltas": pieces("reasoning_text", reasoning, [], "a"),
  "long reasoning": large(summaryFamily, reasoning, (count) => longText(count)),
  "reasoning items": items(() => ({
    ...reasoning,
    summary: [{ type: "summary_text", text: "a" }],
  })),
  "open reasoning items": ({ groups, nextIndex }, count) =>
    addEach(
      groups,
      repeat(count, () => added(nextIndex(), reasoning)),
    ),
  "reasoning summaries": ({ groups, nextIndex }, count) => {
    const output_index = nextIndex();
    groups.push([added(output_index, reasoning)]);
    for (let index = 0; index < count; index++) {
      groups.push([
        { type: "response.reasoning_summary_part.added", output_index },
        piece(summaryFamily, { output_index }, "a"),
      ]);
    }
  },
  "summaries at once": ({ groups, nextIndex }, count) => {
    const summary = repeat(count, () => ({ type: "summary_text", text: "a" }));
    groups.push([done(nextIndex(), { ...reasoning, summary })]);
  },
  "encrypted reasoning": ({ groups, nextIndex }, count) =>
    groups.push([done(nextIndex(), { ...reasoning, encrypted_content: longText(count, "AAAA") })]),
  "tool calls": items((index) => call(`id${index}`, "{}")),
  "open tool calls": ({ groups, nextIndex }, count) =>
    addEach(
      groups,
      repeat(count, () => added(nextIndex(), call("open"))),
    ),
  "calls of equal ids": items(() => call("equal", "{}")),
  "argument fragments": pieces(callFamily, call("fragments"), ['{"a":"'], "b"),
  "fragments of a custom tool": pieces(callFamily, call("c", "", "custom"), ['{"input":"'], "b"),
  "fragments behind a broken escape": pieces(
    callFamily,
    call("escape", "", "custom"),
    ['{"input":"\\uZZZZ'],
    "b",
  ),
  "a large broken input": large(
    callFamily,
    call("large", "", "custom"),
    (count) => `{"input":"\\uZZZZ${longText(count)}`,
  ),
  "custom input fragments": pieces(
    "custom_tool_call_input",
    { type: "custom_tool_call", call_id: "input", name: "f", input: "" },
    [],
    "b",
  ),
  ...Object.fromEntries(
    Object.entries(argumentTexts).map(([name, make]) => [
      name,
      large(callFamily, call(name), make),
    ]),
  ),
  "other items": items(() => ({ type: "web_search_call", id: "w", status: "completed" })),
  creations: events(() => ({ type: "response.created", response: { usage } })),
  "progress events": events(() => ({ type: "response.in_progress", response: {} })),
  "unknown events": events(() => ({ type: "response.new_event", a: 1 })),
  "done parts": events(() => ({
    type: "response.content_part.done",
    output_index: 90_001,
    part: text("a"),
  })),
  "done items": events(() => done(90_002, message(text("a")))),
  "unknown members": ({ groups }, count) =>
    groups.push([{ type: "response.in_progress", ...manyMembers(count, "u") }]),
  "output of the last event": ({ members }, count) => {
    members["output"] = repeat(count, () => message(text("a")));
  },
};

/** Adds one item to a whole response. */
function wholeItem(make: (count: number) => JsonObject): Dimension<ResponseDraft> {
  return ({ groups }, count) => groups.push([make(count)]);
}

/** Whatever a whole response of a Responses upstream can repeat. */
export const responsesAnswers: Dimensions<ResponseDraft> = {
  messages: events(() => message(text("a"))),
  "text parts": wholeItem((count) => message(...repeat(count, () => text("a")))),
  "long text": wholeItem((count) => message(text(longText(count)))),
  "escaped text": wholeItem((count) => message(text(longText(count, "\u0001")))),
  "wide text": wholeItem((count) => message(text(longText(count, "\u{1f600}")))),
  refusals: events(() => message({ type: "refusal", refusal: "a" })),
  annotations: wholeItem((count) =>
    message({ ...text("a"), annotations: repeat(count, () => annotation) }),
  ),
  "reasoning items": events(() => reasoning),
  "reasoning summaries": wholeItem((count) => ({
    ...reasoning,
    summary: repeat(count, () => ({ type: "summary_text", text: "a" })),
  })),
  "long reasoning": wholeItem((count) => ({
    ...reasoning,
    summary: [{ type: "summary_text", text: longText(count) }],
  })),
  "tool calls": events((index) => call(`id${index}`, "{}")),
  "calls of equal ids": events(() => call("equal", "{}")),
  "custom tool calls": events(() => call("custom", '{"input":"a"}', "custom")),
  ...Object.fromEntries(
    Object.entries(argumentTexts).map(([name, make]) => [
      name,
      wholeItem((count) => call(name, make(count))),
    ]),
  ),
  "other items": events(() => ({ type: "web_search_call", id: "w" })),
  "unknown members": ({ members }, count) => {
    Object.assign(members, manyMembers(count, "u"));
  },
};

/** Returns the events of a Responses stream. */
export function responsesEvents(
  { members }: ResponseDraft,
  given: readonly JsonObject[],
): readonly JsonObject[] {
  const response = { status: "completed", output: [], usage, ...members };
  return [
    { type: "response.created", response: {} },
    ...given,
    { type: "response.completed", response },
  ];
}

/** Returns a whole Responses response. */
export function responsesAnswer(
  { members }: ResponseDraft,
  output: readonly JsonObject[],
): JsonObject {
  return { ...members, id: "resp_1", object: "response", status: "completed", output, usage };
}
