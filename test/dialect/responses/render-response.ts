import { getDialectCodec } from "../../../src/dialect/codecs.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import {
  restoreResponseToolCalls,
  createToolCallRestorer,
} from "../../../src/dialect/restore-tool-calls.ts";
import type { TranscodedRequest } from "../../../src/dialect/transcode-request.ts";
import { neutralEventsToResponse } from "../../../src/dialect/neutral-response.ts";
import type { DialectId } from "../../../src/platform/configuration/configuration.ts";
import { SseEventReader } from "../../../src/platform/sse/event-reader.ts";
import { answerContext, answerId } from "./response-context.ts";

/** An upstream's stream as it reaches the caller that the request came from. */
export function streamResponse(
  upstream: DialectId,
  stream: string,
  { request: turn, encoded }: TranscodedRequest,
): string {
  const decoder = getDialectCodec(upstream).decodeStream({ stop: [] });
  const restorer = createToolCallRestorer(encoded.restoreInfo, answerId);
  const state = restorer.start();
  const encoder = getDialectCodec(turn.origin).encodeStream({ ...answerContext(), request: turn });
  const reader = new SseEventReader(1024 * 1024);
  const events = [...reader.push(Buffer.from(stream)), ...reader.finish()];
  const told = [...events.flatMap((event) => [...decoder.push(event)]), ...decoder.finish()];
  return told
    .flatMap((event) => [...restorer.step(state, event)])
    .map((event) => encoder.push(event))
    .join("");
}

/** An upstream's whole answer as it reaches the caller that the request came from. */
export function wholeResponse(
  upstream: DialectId,
  body: JsonObject,
  { request: turn, encoded }: TranscodedRequest,
): JsonObject {
  const answer = neutralEventsToResponse(
    getDialectCodec(upstream).decodeResponse(body, { stop: [] }),
  );
  const restored = restoreResponseToolCalls(answer, encoded.restoreInfo, answerId);
  return getDialectCodec(turn.origin).encodeResponse(restored, {
    ...answerContext(),
    request: turn,
  });
}

/** A chat stream of these deltas, with usage. */
export function chatStream(
  deltas: readonly JsonObject[],
  finish: string,
  usage: JsonObject = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
): string {
  const chunk = (choices: readonly JsonObject[], more: JsonObject = {}) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "up", choices, ...more })}\n\n`;
  return [
    ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: finish }]),
    chunk([], { usage }),
    "data: [DONE]\n\n",
  ].join("");
}

/** A messages stream of these blocks, each a start and its deltas. */
export function messagesStream(
  blocks: readonly (readonly [start: JsonObject, ...deltas: JsonObject[]])[],
  stop: string,
): string {
  const usage = {
    input_tokens: 7,
    cache_read_input_tokens: 2000,
    cache_creation_input_tokens: 300,
    output_tokens: 1,
  };
  const message = {
    id: "m",
    type: "message",
    role: "assistant",
    model: "up",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const events: JsonObject[] = [
    { type: "message_start", message },
    ...blocks.flatMap(([start, ...deltas], index) => [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: 50, output_tokens_details: { thinking_tokens: 30 } },
    },
    { type: "message_stop" },
  ];
  return events
    .map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}
