import type { JsonObject } from "../../../../src/dialect/json.ts";
import {
  addEach,
  addToList,
  longText,
  manyMembers,
  repeat,
  type Dimension,
  type Dimensions,
  type ResponseDraft,
} from "../document.ts";
import { argumentTexts } from "./json-texts.ts";

function chunk(delta: JsonObject, others: JsonObject = {}): JsonObject {
  return { id: "c", choices: [{ index: 0, delta, finish_reason: null, ...others }] };
}

function callPiece(index: number | undefined, piece: JsonObject, id?: string): JsonObject {
  return chunk({ tool_calls: [{ index, id, function: piece }] });
}

const annotation = {
  type: "url_citation",
  url_citation: { url: "https://a.example", title: "a", start_index: 0, end_index: 1 },
};

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** Adds a chunk `count` times. */
function chunks(make: (index: number) => JsonObject): Dimension<ResponseDraft> {
  return ({ groups }, count) => addEach(groups, repeat(count, make));
}

/** Adds pieces of arguments of one call of a tool. */
function fragments(name: string, first: string, piece: string): Dimension<ResponseDraft> {
  return ({ groups, nextIndex }, count) => {
    const index = nextIndex();
    groups.push([callPiece(index, { name, arguments: first }, `id${index}`)]);
    addEach(
      groups,
      repeat(count, () => callPiece(index, { arguments: piece })),
    );
  };
}

function whole(name: string, make: (count: number) => string): Dimension<ResponseDraft> {
  return ({ groups, nextIndex }, count) => {
    const index = nextIndex();
    groups.push([callPiece(index, { name, arguments: make(count) }, `id${index}`)]);
  };
}

/** Whatever the stream of a chat upstream can repeat. */
export const chatStreams: Dimensions<ResponseDraft> = {
  "text deltas": chunks(() => chunk({ content: "a" })),
  "wide text deltas": chunks(() => chunk({ content: "é😀" })),
  "long text": ({ groups }, count) => groups.push([chunk({ content: longText(count) })]),
  "long escaped text": ({ groups }, count) =>
    groups.push([chunk({ content: longText(count, "\u0001") })]),
  "text parts": chunks(() => chunk({ content: [{ type: "text", text: "a" }] })),
  "text parts at once": ({ groups }, count) =>
    groups.push([chunk({ content: repeat(count, () => ({ type: "text", text: "a" })) })]),
  refusals: chunks(() => chunk({ refusal: "a" })),
  "reasoning deltas": chunks(() => chunk({ reasoning_content: "a" })),
  "long reasoning": ({ groups }, count) =>
    groups.push([chunk({ reasoning_content: longText(count) })]),
  "reasoning details": ({ groups }, count) =>
    groups.push([chunk({ reasoning_details: repeat(count, () => ({ text: "a" })) })]),
  logprobs: chunks(() =>
    chunk({ content: "a" }, { logprobs: { content: [{ token: "a", logprob: 0 }] } }),
  ),
  "logprobs at once": ({ groups }, count) => {
    const content = repeat(count, () => ({ token: "a", logprob: 0 }));
    groups.push([chunk({ content: "a" }, { logprobs: { content } })]);
  },
  annotations: ({ groups }, count) =>
    addEach(
      groups,
      repeat(count, () => chunk({ content: "a", annotations: [annotation] })),
    ),
  "annotations at once": ({ groups }, count) =>
    groups.push([chunk({ content: "a", annotations: repeat(count, () => annotation) })]),
  "parallel tool calls": ({ groups, nextIndex }, count) =>
    addEach(
      groups,
      repeat(count, () => {
        const index = nextIndex();
        return callPiece(index, { name: "f", arguments: "{}" }, `id${index}`);
      }),
    ),
  "tool calls of one chunk": ({ groups, nextIndex }, count) => {
    const tool_calls = repeat(count, () => ({
      index: nextIndex(),
      function: { name: "f", arguments: "{}" },
    }));
    groups.push([chunk({ tool_calls })]);
  },
  "calls of equal ids": ({ groups, nextIndex }, count) =>
    addEach(
      groups,
      repeat(count, () => callPiece(nextIndex(), { name: "f", arguments: "{}" }, "equal")),
    ),
  "calls without an index": chunks((index) =>
    callPiece(undefined, { name: "f", arguments: "{}" }, `none${index}`),
  ),
  "calls without an index or id": chunks(() =>
    callPiece(undefined, { name: "f", arguments: "{}" }),
  ),
  "calls with changing ids": ({ groups, nextIndex }, count) => {
    const index = nextIndex();
    groups.push([callPiece(index, { name: "f", arguments: "{}" }, "first")]);
    addEach(
      groups,
      repeat(count, (place) => callPiece(index, { arguments: " " }, `new${place}`)),
    );
  },
  "argument fragments": fragments("f", '{"a":"', "b"),
  "fragments of broken arguments": fragments("f", "{{", "{"),
  "fragments of a custom tool": fragments("custom", '{"input":"', "b"),
  "fragments behind a broken escape": fragments("custom", '{"input":"\\uZZZZ', "b"),
  "half escapes": fragments("custom", '{"input":"', "\\ud83d"),
  "fragments before the input": fragments("custom", "", " "),
  "a large custom input": whole("custom", (count) => JSON.stringify({ input: longText(count) })),
  "a large broken input": whole("custom", (count) => `{"input":"\\uZZZZ${longText(count)}`),
  "fragments without an index or id": ({ groups }, count) =>
    addEach(
      groups,
      repeat(count, () => callPiece(undefined, { name: "repeated", arguments: " " })),
    ),
  "arguments before a name": ({ groups, nextIndex }, count) => {
    const index = nextIndex();
    addEach(
      groups,
      repeat(count, () => callPiece(index, { arguments: "b" })),
    );
    groups.push([callPiece(index, { name: "late", arguments: "" })]);
  },
  ...Object.fromEntries(
    Object.entries(argumentTexts).map(([name, make]) => [name, whole("f", make)]),
  ),
  usages: chunks(() => ({ id: "c", choices: [{ index: 0, delta: {} }], usage })),
  "empty chunks": chunks(() => ({ id: "c", choices: [] })),
  "finish reasons": chunks(() => chunk({}, { finish_reason: "stop" })),
  "other choices": ({ groups }, count) => {
    const choices = repeat(count, (index) => ({ index: index + 1, delta: { content: "a" } }));
    groups.push([{ id: "c", choices }]);
  },
  "unknown members": ({ groups }, count) =>
    groups.push([{ ...chunk({ content: "a" }), ...manyMembers(count, "u") }]),
};

function addText(members: Record<string, unknown>, name: string, text: string): void {
  members[name] = `${(members[name] as string | undefined) ?? ""}${text}`;
}

/** Whatever a whole response of a chat upstream can repeat; members belong to its message. */
export const chatAnswers: Dimensions<ResponseDraft> = {
  "long text": ({ members }, count) => addText(members, "content", longText(count)),
  "escaped text": ({ members }, count) => addText(members, "content", longText(count, "\u0001")),
  "wide text": ({ members }, count) => addText(members, "content", longText(count, "\u{1f600}")),
  "long reasoning": ({ members }, count) => addText(members, "reasoning_content", longText(count)),
  "long refusal": ({ members }, count) => addText(members, "refusal", longText(count)),
  "reasoning details": ({ members }, count) =>
    addToList(
      members,
      "reasoning_details",
      repeat(count, () => ({ type: "reasoning.text", text: "a" })),
    ),
  annotations: ({ members }, count) =>
    addToList(
      members,
      "annotations",
      repeat(count, () => annotation),
    ),
  "tool calls": ({ members, nextIndex }, count) =>
    addToList(
      members,
      "tool_calls",
      repeat(count, () => ({ id: `id${nextIndex()}`, function: { name: "f", arguments: "{}" } })),
    ),
  "calls of equal ids": ({ members }, count) =>
    addToList(
      members,
      "tool_calls",
      repeat(count, () => ({ id: "equal", function: { name: "f", arguments: "{}" } })),
    ),
  "custom tool calls": ({ members }, count) => {
    const made = { id: "custom", function: { name: "custom", arguments: '{"input":"a"}' } };
    addToList(
      members,
      "tool_calls",
      repeat(count, () => made),
    );
  },
  ...Object.fromEntries(
    Object.entries(argumentTexts).map(([name, make]): [string, Dimension<ResponseDraft>] => [
      name,
      ({ members }, count) =>
        addToList(members, "tool_calls", [
          { id: name, function: { name: "f", arguments: make(count) } },
        ]),
    ]),
  ),
  "unknown members": ({ members }, count) => {
    Object.assign(members, manyMembers(count, "u"));
  },
};

/** Returns the events of a chat stream. */
export function chatEvents(events: readonly JsonObject[]): readonly JsonObject[] {
  const end = { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
  return [chunk({ role: "assistant" }), ...events, end, { id: "c", choices: [], usage }];
}

/** Returns a whole chat response. */
export function chatAnswer({ members }: ResponseDraft): JsonObject {
  const message = { role: "assistant", content: null, ...members };
  return { id: "c", choices: [{ index: 0, message, finish_reason: "stop" }], usage };
}
