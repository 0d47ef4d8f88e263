import { describe, it } from "vitest";
import { getDialectCodec } from "../../src/dialect/codecs.ts";
import type { JsonObject } from "../../src/dialect/json.ts";
import { createToolCallRestorer } from "../../src/dialect/restore-tool-calls.ts";
import { startStreamTransform } from "../../src/dialect/step-machine.ts";
import { NeutralResponseAccumulator } from "../../src/dialect/neutral-response.ts";
import type { NeutralEvent } from "../../src/dialect/neutral-event.ts";
import { answerContext } from "../support/codec-contexts.ts";
import { dialectPairs, each, toolUse, type DialectName } from "../support/dialect-growth.ts";
import { expectLinear } from "../support/growth.ts";

/** Events of a stream with `size` of something. */
type MakeStream = (size: number) => readonly JsonObject[];

function chatChunk(delta: JsonObject, finish: string | null = null): JsonObject {
  return { id: "c", choices: [{ index: 0, delta, finish_reason: finish }] };
}

function chatStream(...events: JsonObject[]): readonly JsonObject[] {
  return [chatChunk({ role: "assistant" }), ...events, chatChunk({}, "stop")];
}

function chatPiece(index: number | undefined, piece: JsonObject, id?: string): JsonObject {
  return chatChunk({ tool_calls: [{ index, id, function: piece }] });
}

function block(index: number, content_block: JsonObject): JsonObject {
  return { type: "content_block_start", index, content_block };
}

function blockDelta(index: number, delta: JsonObject): JsonObject {
  return { type: "content_block_delta", index, delta };
}

function blockStop(index: number): JsonObject {
  return { type: "content_block_stop", index };
}

function messagesStream(...events: JsonObject[]): readonly JsonObject[] {
  return [
    { type: "message_start", message: { usage: { input_tokens: 1, output_tokens: 1 } } },
    ...events,
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ];
}

function item(output_index: number, value: JsonObject): JsonObject {
  return { type: "response.output_item.added", output_index, item: value };
}

function itemDone(output_index: number, value: JsonObject): JsonObject {
  return { type: "response.output_item.done", output_index, item: value };
}

function said(family: string, place: JsonObject, delta: string): JsonObject {
  return { type: `response.${family}.delta`, ...place, delta };
}

function responsesStream(...events: JsonObject[]): readonly JsonObject[] {
  return [
    { type: "response.created", response: {} },
    ...events,
    { type: "response.completed", response: { status: "completed", output: [] } },
  ];
}

const thinking = { type: "thinking", thinking: "", signature: "" };
const annotation = {
  type: "url_citation",
  url: "https://a.example",
  title: "a",
  start_index: 0,
  end_index: 1,
};
const location = {
  type: "web_search_result_location",
  url: "https://a.example",
  title: "a",
  cited_text: "a",
};

const streams: Readonly<Record<string, Readonly<Record<DialectName, MakeStream>>>> = {
  "text deltas": {
    chat: (size) => chatStream(...each(size, () => chatChunk({ content: "a" }))),
    messages: (size) =>
      messagesStream(
        block(0, { type: "text", text: "" }),
        ...each(size, () => blockDelta(0, { type: "text_delta", text: "a" })),
        blockStop(0),
      ),
    responses: (size) =>
      responsesStream(...each(size, () => said("output_text", { output_index: 0 }, "a"))),
  },
  "interleaved calls": {
    chat: (size) =>
      chatStream(
        ...each(size, (index) => chatPiece(index, { name: "f", arguments: "" }, `i${index}`)),
        ...each(size, (index) => chatPiece(index, { arguments: '{"a":1}' })),
        ...each(size, (index) => chatPiece(index, { arguments: " " }, `i${index}`)),
      ),
    messages: (size) =>
      messagesStream(
        ...each(size, (index) => block(index, { ...toolUse, id: `i${index}` })),
        ...each(size, (index) =>
          blockDelta(index, { type: "input_json_delta", partial_json: '{"a":1}' }),
        ),
        ...each(size, (index) => blockStop(index)),
      ),
    responses: (size) =>
      responsesStream(
        ...each(size, (index) =>
          item(index, { type: "function_call", call_id: `i${index}`, name: "f", arguments: "" }),
        ),
        ...each(size, (index) =>
          said("function_call_arguments", { output_index: index }, '{"a":1}'),
        ),
        ...each(size, (index) =>
          itemDone(index, {
            type: "function_call",
            call_id: `i${index}`,
            name: "f",
            arguments: '{"a":1}',
          }),
        ),
      ),
  },
  "pieces of one call": {
    chat: (size) =>
      chatStream(
        chatPiece(undefined, { name: "f", arguments: '{"a":"' }),
        ...each(size, () => chatPiece(undefined, { name: "f", arguments: "b" })),
        chatPiece(undefined, { name: "f", arguments: '"}' }),
      ),
    messages: (size) =>
      messagesStream(
        block(0, { ...toolUse, id: "i" }),
        blockDelta(0, { type: "input_json_delta", partial_json: '{"a":"' }),
        ...each(size, () => blockDelta(0, { type: "input_json_delta", partial_json: "b" })),
        blockDelta(0, { type: "input_json_delta", partial_json: '"}' }),
        blockStop(0),
      ),
    responses: (size) =>
      responsesStream(
        item(0, { type: "function_call", call_id: "i", name: "f", arguments: "" }),
        said("function_call_arguments", { output_index: 0 }, '{"a":"'),
        ...each(size, () => said("function_call_arguments", { output_index: 0 }, "b")),
        said("function_call_arguments", { output_index: 0 }, '"}'),
      ),
  },
  "calls without an index": {
    chat: (size) =>
      chatStream(
        ...each(size, (index) => chatPiece(undefined, { name: "f", arguments: "{}" }, `i${index}`)),
        ...each(size, (index) => chatPiece(0, { name: "f", arguments: "{}" }, `j${index}`)),
      ),
    messages: (size) =>
      messagesStream(
        ...each(size, (index) => [block(index, { ...toolUse, id: `i${index}` }), blockStop(index)]),
      ),
    responses: (size) =>
      responsesStream(
        ...each(size, (index) =>
          itemDone(index, {
            type: "function_call",
            call_id: `i${index}`,
            name: "f",
            arguments: "{}",
          }),
        ),
      ),
  },
  "content parts": {
    chat: (size) =>
      chatStream(...each(size, () => [chatChunk({ content: "a" }), chatChunk({ refusal: "b" })])),
    messages: (size) =>
      messagesStream(
        ...each(size, (index) => [
          block(index, { type: "text", text: "" }),
          blockDelta(index, { type: "text_delta", text: "a" }),
        ]),
        ...each(size, blockStop),
      ),
    responses: (size) =>
      responsesStream(
        ...each(size, (index) =>
          said("output_text", { output_index: 0, content_index: index }, "a"),
        ),
      ),
  },
  thinking: {
    chat: (size) =>
      chatStream(
        ...each(size, () => [chatChunk({ reasoning_content: "a" }), chatChunk({ content: "b" })]),
      ),
    messages: (size) =>
      messagesStream(
        ...each(size, (index) => [
          block(index, thinking),
          blockDelta(index, { type: "thinking_delta", thinking: "a" }),
          blockDelta(index, { type: "signature_delta", signature: "c2ln" }),
          blockStop(index),
        ]),
      ),
    responses: (size) =>
      responsesStream(
        ...each(size, (index) => [
          item(index, { type: "reasoning" }),
          said("reasoning_summary_text", { output_index: index }, "a"),
          itemDone(index, { type: "reasoning", encrypted_content: "e" }),
        ]),
      ),
  },
  "open thinking": {
    chat: (size) => chatStream(...each(size, () => chatChunk({ reasoning_content: "a" }))),
    messages: (size) =>
      messagesStream(
        ...each(size, (index) => block(index, thinking)),
        ...each(size, (index) => blockDelta(index, { type: "thinking_delta", thinking: "a" })),
        ...each(size, blockStop),
      ),
    responses: (size) =>
      responsesStream(
        item(0, { type: "reasoning" }),
        ...each(size, () => [
          said("reasoning_summary_text", { output_index: 0 }, "a"),
          { type: "response.reasoning_summary_part.added", output_index: 0 },
        ]),
      ),
  },
  sources: {
    chat: (size) =>
      chatStream(
        chatChunk({ content: "a" }),
        ...each(size, () =>
          chatChunk({ annotations: [{ type: "url_citation", url_citation: annotation }] }),
        ),
      ),
    messages: (size) =>
      messagesStream(
        block(0, { type: "text", text: "a" }),
        ...each(size, () => blockDelta(0, { type: "citations_delta", citation: location })),
        blockStop(0),
      ),
    responses: (size) =>
      responsesStream(
        said("output_text", { output_index: 0 }, "a"),
        ...each(size, () => ({
          type: "response.output_text.annotation.added",
          output_index: 0,
          annotation,
        })),
      ),
  },
  "sources at once": {
    chat: (size) =>
      chatStream(
        chatChunk({ content: "a" }),
        chatChunk({
          // Half as many: one event holds at most 80 000 members.
          annotations: each(size / 2, () => ({ type: "url_citation", url_citation: annotation })),
        }),
      ),
    messages: (size) =>
      messagesStream(
        block(0, { type: "text", text: "a", citations: each(size, () => location) }),
        blockStop(0),
      ),
    responses: (size) =>
      responsesStream(
        said("output_text", { output_index: 0 }, "a"),
        itemDone(0, {
          type: "message",
          content: [{ type: "output_text", text: "a", annotations: each(size, () => annotation) }],
        }),
      ),
  },
};

const recall = { tools: new Map(), jsonTool: undefined, callIds: new Set<string>(), stop: [] };

function decoded(upstream: DialectName, events: readonly JsonObject[]): () => NeutralEvent[] {
  const frames = events.map((event) => ({ name: undefined, data: JSON.stringify(event) }));
  return () => {
    const decoder = getDialectCodec(`dialect_${upstream}`).decodeStream({ stop: [] });
    const restorer = startStreamTransform(createToolCallRestorer(recall as never, "a"));
    const all: NeutralEvent[] = [];
    const take = (told: readonly NeutralEvent[]) => {
      for (const one of told) for (const event of restorer.push(one)) all.push(event);
    };
    for (const frame of frames) take(decoder.push(frame));
    take(decoder.finish());
    return all;
  };
}

const size = 3000;

describe.each(Object.entries(streams))("a stream with many %s", (_what, byDialect) => {
  it.each(dialectPairs)(
    "takes time that grows with its length from %s to %s",
    (upstream, caller) => {
      expectLinear(size, (count) => {
        const read = decoded(upstream, byDialect[upstream](count));
        return () => {
          const context = answerContext();
          const encoder = getDialectCodec(`dialect_${caller}`).encodeStream(context);
          let written = 0;
          const fold = new NeutralResponseAccumulator();
          for (const event of read()) {
            written += encoder.push(event).length;
            fold.push(event);
          }
          return [
            written,
            getDialectCodec(`dialect_${caller}`).encodeResponse(fold.answer(), context),
          ];
        };
      });
    },
  );
});
