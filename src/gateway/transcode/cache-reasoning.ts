import type { HistoryToolCall } from "../../dialect/cached-reasoning.ts";
import type { ReasoningEnvelopeSealer } from "../../dialect/reasoning-envelope.ts";
import {
  NeutralResponseAccumulator,
  type NeutralResponsePart,
  type NeutralResponse,
} from "../../dialect/neutral-response.ts";
import type { NeutralEvent } from "../../dialect/neutral-event.ts";
import { createTapStage, type StreamStageFactory } from "../pass-through/stage.ts";

/** Takes the sealed thoughts of an answer and the first call behind them. */
export type ReasoningCacheWriter = (call: HistoryToolCall, sealed: readonly string[]) => void;

/** Remembers what an answer with tool calls thought, before its caller hears that it is complete. */
export function createReasoningCachingStage(
  envelope: ReasoningEnvelopeSealer,
  remember: ReasoningCacheWriter,
): StreamStageFactory<readonly NeutralEvent[], readonly NeutralEvent[]> {
  const notes = new ReasoningCacheStage(envelope, remember);
  return createTapStage((event) => notes.push(event));
}

/** The thoughts and calls of an answer that is coming in; its words are not noted. */
class ReasoningCacheStage {
  readonly #envelope: ReasoningEnvelopeSealer;
  readonly #remember: ReasoningCacheWriter;
  readonly #fold = new NeutralResponseAccumulator();
  #hasCall = false;

  constructor(envelope: ReasoningEnvelopeSealer, remember: ReasoningCacheWriter) {
    this.#envelope = envelope;
    this.#remember = remember;
  }

  push(event: NeutralEvent): void {
    if (event.type === "part-start") this.#start(event);
    else if (event.type === "part-delta") this.#fold.push(event);
    else if (event.type === "response-end" && this.#hasCall) this.#note(this.#fold.answer());
  }

  /** A delta of a part that was not started is passed over. */
  #start(event: Extract<NeutralEvent, { type: "part-start" }>): void {
    const { type } = event.part;
    if (type === "tool-call") this.#hasCall = true;
    if (type === "tool-call" || type === "reasoning") this.#fold.push(event);
  }

  /** A client sends all calls of an answer back, so the first one stands for all. */
  #note({ parts }: NeutralResponse): void {
    const call = parts.find((part) => part.type === "tool-call");
    const sealed = parts.flatMap((part) => this.#sealed(part));
    if (call !== undefined) this.#remember(call, sealed);
  }

  #sealed(part: NeutralResponsePart): readonly string[] {
    if (part.type !== "reasoning" || part.encrypted === undefined) return [];
    return part.encrypted.dialect === "dialect_chat"
      ? []
      : [this.#envelope.seal(part.encrypted, part.texts)];
  }
}
