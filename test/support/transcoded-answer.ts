import { codecOf } from "../../src/dialect/codecs.ts";
import type { AnswerContext } from "../../src/dialect/codec.ts";
import type { JsonObject } from "../../src/dialect/json.ts";
import { nothingToRecall, type Recall } from "../../src/dialect/recall.ts";
import { restoreAnswer, restoreCalls } from "../../src/dialect/restore-calls.ts";
import { foldEvents, type TurnAnswer } from "../../src/dialect/turn-answer.ts";
import type { TurnEvent } from "../../src/dialect/turn-event.ts";
import type { Dialect } from "../../src/platform/configuration/configuration.ts";
import { EventReader } from "../../src/platform/sse/event-reader.ts";
import { answerContext } from "./codec-contexts.ts";

export interface AnswerOptions {
  readonly from: Dialect;
  readonly to: Dialect;
  readonly recall?: Recall;
  readonly context?: AnswerContext;
}

/** What an upstream's stream tells, tools restored. */
export function streamEvents(text: string, from: Dialect, recall = nothingToRecall): TurnEvent[] {
  const reader = new EventReader(1024 * 1024);
  const decoder = codecOf(from).decodeStream({ stop: ["END"] });
  const events = [...reader.push(Buffer.from(text)), ...reader.finish()];
  const told = [...events.flatMap((event) => [...decoder.push(event)]), ...decoder.finish()];
  const machine = restoreCalls(recall, "answer");
  const state = machine.start();
  return told.flatMap((event) => [...machine.step(state, event)]);
}

/** An upstream's stream as the caller's stream. */
export function streamBetween(text: string, options: AnswerOptions): string {
  const { from, to, recall, context = answerContext() } = options;
  const encoder = codecOf(to).encodeStream(context);
  return streamEvents(text, from, recall)
    .map((event) => encoder.push(event))
    .join("");
}

/** An upstream's stream as the caller's whole answer. */
export function wholeOfStream(text: string, options: AnswerOptions): JsonObject {
  const { from, to, recall, context = answerContext() } = options;
  return codecOf(to).encodeAnswer(foldEvents(streamEvents(text, from, recall)), context);
}

/** An upstream's whole answer as the caller's. */
export function answerBetween(body: JsonObject, options: AnswerOptions): JsonObject {
  const { from, to, recall = nothingToRecall, context = answerContext() } = options;
  const answer: TurnAnswer = foldEvents(codecOf(from).decodeAnswer(body, { stop: ["END"] }));
  return codecOf(to).encodeAnswer(restoreAnswer(answer, recall, "answer"), context);
}
