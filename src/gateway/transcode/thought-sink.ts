import type { SentCall } from "../../dialect/remembered-thoughts.ts";
import type { ReasoningEnvelope } from "../../dialect/reasoning-envelope.ts";
import { AnswerFold, type AnswerPart, type TurnAnswer } from "../../dialect/turn-answer.ts";
import type { TurnEvent } from "../../dialect/turn-event.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { AnswerSink } from "./answer-sink.ts";

/** Takes the sealed thoughts of an answer and the first call behind them. */
export type RememberThoughts = (call: SentCall, sealed: readonly string[]) => void;

/** Remembers what an answer with tool calls thought, before its caller hears that it is complete. */
export class ThoughtSink implements AnswerSink {
  readonly #sink: AnswerSink;
  readonly #envelope: ReasoningEnvelope;
  readonly #remember: RememberThoughts;
  readonly #fold = new AnswerFold();
  #hasCall = false;

  constructor(sink: AnswerSink, envelope: ReasoningEnvelope, remember: RememberThoughts) {
    this.#sink = sink;
    this.#envelope = envelope;
    this.#remember = remember;
  }

  take(event: TurnEvent): void {
    if (event.type === "part-start") this.#start(event);
    else if (event.type === "part-delta") this.#fold.push(event);
    else if (event.type === "turn-end" && this.#hasCall) this.#note(this.#fold.answer());
    this.#sink.take(event);
  }

  flush(): boolean {
    return this.#sink.flush();
  }

  begin(): void {
    this.#sink.begin();
  }

  end(): void {
    this.#sink.end();
  }

  fail(cause: CallFailure): void {
    this.#sink.fail(cause);
  }

  /** Words are not folded: a delta of a part that was not started is passed over. */
  #start(event: Extract<TurnEvent, { type: "part-start" }>): void {
    const { type } = event.part;
    if (type === "tool-call") this.#hasCall = true;
    if (type === "tool-call" || type === "reasoning") this.#fold.push(event);
  }

  /** A client sends all calls of an answer back, so the first one stands for all. */
  #note({ parts }: TurnAnswer): void {
    const call = parts.find((part) => part.type === "tool-call");
    const sealed = parts.flatMap((part) => this.#sealed(part));
    if (call !== undefined) this.#remember(call, sealed);
  }

  #sealed(part: AnswerPart): readonly string[] {
    if (part.type !== "reasoning" || part.seal === undefined) return [];
    return part.seal.dialect === "dialect_chat" ? [] : [this.#envelope.seal(part.seal, part.texts)];
  }
}
