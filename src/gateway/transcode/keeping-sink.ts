import { AnswerFold, type TurnAnswer } from "../../dialect/turn-answer.ts";
import type { TurnEnd, TurnEvent } from "../../dialect/turn-event.ts";
import { failureOf, type CallFailure } from "../call/call-failure.ts";
import type { AnswerSink } from "./answer-sink.ts";

/**
 * Keeps an answer before its caller hears that it is complete, so that the next
 * call can go on from it at once. An answer that cannot be kept is given all the
 * same: a call that goes on from it is refused, which loses less.
 */
export class KeepingSink implements AnswerSink {
  readonly #sink: AnswerSink;
  readonly #keep: (answer: TurnAnswer) => Promise<void>;
  readonly #fold = new AnswerFold();
  #end: TurnEnd | undefined;

  /** `keep` must not reject. */
  constructor(sink: AnswerSink, keep: (answer: TurnAnswer) => Promise<void>) {
    this.#sink = sink;
    this.#keep = keep;
  }

  take(event: TurnEvent): void {
    this.#fold.push(event);
    if (event.type === "turn-end") this.#end = event;
    else this.#sink.take(event);
  }

  flush(): boolean {
    return this.#sink.flush();
  }

  begin(): void {
    this.#sink.begin();
  }

  end(): void {
    this.#keep(this.#fold.answer())
      .then(() => this.#finish())
      .catch((error: unknown) => this.#sink.fail(failureOf(error)));
  }

  #finish(): void {
    if (this.#end !== undefined) this.#sink.take(this.#end);
    this.#sink.end();
  }

  fail(cause: CallFailure): void {
    this.#sink.fail(cause);
  }
}
