import { getDialectCodec } from "../../src/dialect/codecs.ts";
import type { ResponseEncodingContext } from "../../src/dialect/codec.ts";
import type { JsonObject } from "../../src/dialect/json.ts";
import {
  emptyToolNameRestoreInfo,
  type ToolNameRestoreInfo,
} from "../../src/dialect/restore-info.ts";
import {
  restoreResponseToolCalls,
  createToolCallRestorer,
} from "../../src/dialect/restore-tool-calls.ts";
import {
  neutralEventsToResponse,
  type NeutralResponse,
} from "../../src/dialect/neutral-response.ts";
import type { NeutralEvent } from "../../src/dialect/neutral-event.ts";
import type { DialectId } from "../../src/platform/configuration/configuration.ts";
import { SseEventReader } from "../../src/platform/sse/event-reader.ts";
import { answerContext } from "./codec-contexts.ts";

export interface ResponseOptions {
  readonly from: DialectId;
  readonly to: DialectId;
  readonly recall?: ToolNameRestoreInfo;
  readonly context?: ResponseEncodingContext;
}

/** What an upstream's stream tells, tools restored. */
export function streamEvents(
  text: string,
  from: DialectId,
  recall = emptyToolNameRestoreInfo,
): NeutralEvent[] {
  const reader = new SseEventReader(1024 * 1024);
  const decoder = getDialectCodec(from).decodeStream({ stop: ["END"] });
  const events = [...reader.push(Buffer.from(text)), ...reader.finish()];
  const told = [...events.flatMap((event) => [...decoder.push(event)]), ...decoder.finish()];
  const machine = createToolCallRestorer(recall, "answer");
  const state = machine.start();
  return told.flatMap((event) => [...machine.step(state, event)]);
}

/** An upstream's stream as the caller's stream. */
export function transcodeStream(text: string, options: ResponseOptions): string {
  const { from, to, recall, context = answerContext() } = options;
  const encoder = getDialectCodec(to).encodeStream(context);
  return streamEvents(text, from, recall)
    .map((event) => encoder.push(event))
    .join("");
}

/** An upstream's stream as the caller's whole answer. */
export function responseFromStream(text: string, options: ResponseOptions): JsonObject {
  const { from, to, recall, context = answerContext() } = options;
  return getDialectCodec(to).encodeResponse(
    neutralEventsToResponse(streamEvents(text, from, recall)),
    context,
  );
}

/** An upstream's whole answer as the caller's. */
export function transcodeResponse(body: JsonObject, options: ResponseOptions): JsonObject {
  const { from, to, recall = emptyToolNameRestoreInfo, context = answerContext() } = options;
  const answer: NeutralResponse = neutralEventsToResponse(
    getDialectCodec(from).decodeResponse(body, { stop: ["END"] }),
  );
  return getDialectCodec(to).encodeResponse(
    restoreResponseToolCalls(answer, recall, "answer"),
    context,
  );
}
