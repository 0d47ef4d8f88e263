import type { StreamEncoder } from "../../dialect/codec.ts";
import type { JsonObject } from "../../dialect/json.ts";
import { AnswerFold, type TurnAnswer } from "../../dialect/turn-answer.ts";
import type { TurnEvent } from "../../dialect/turn-event.ts";
import type { Answer } from "../call/answer.ts";
import type { CallFailure } from "../call/call-failure.ts";
import { ownStreamType } from "../relay/choose-receiver.ts";

/** Gives a caller the answer that neutral events tell. */
export interface AnswerSink {
  take(event: TurnEvent): void;
  /** Passes on what was taken; false: the caller reads slower than it comes. */
  flush(): boolean;
  /** The caller of a stream has waited long enough: begin. */
  begin(): void;
  /** Everything was taken, a `turn-end` last. */
  end(): void;
  fail(cause: CallFailure): void;
}

/** A stream of events in the caller's dialect; one write for all frames of one read. */
export class StreamSink implements AnswerSink {
  readonly #answer: Answer;
  readonly #encoder: StreamEncoder;
  #text = "";

  constructor(answer: Answer, encoder: StreamEncoder) {
    this.#answer = answer;
    this.#encoder = encoder;
  }

  take(event: TurnEvent): void {
    this.#text += this.#encoder.push(event);
  }

  flush(): boolean {
    if (this.#text === "") return true;
    this.begin();
    const text = Buffer.from(this.#text);
    this.#text = "";
    return this.#answer.write(text);
  }

  begin(): void {
    if (this.#answer.isOpen) this.#answer.beginStream(200, ownStreamType);
  }

  end(): void {
    this.flush();
    this.#answer.end();
  }

  fail(cause: CallFailure): void {
    if (this.#answer.isStreaming) this.flush();
    this.#answer.fail(cause, (error) => this.#encoder.fail(error));
  }
}

/** One JSON object in the caller's dialect, when everything is there. */
export class BodySink implements AnswerSink {
  readonly #answer: Answer;
  readonly #encode: (answer: TurnAnswer) => JsonObject;
  readonly #fold = new AnswerFold();

  constructor(answer: Answer, encode: (answer: TurnAnswer) => JsonObject) {
    this.#answer = answer;
    this.#encode = encode;
  }

  take(event: TurnEvent): void {
    this.#fold.push(event);
  }

  flush(): boolean {
    return true;
  }

  begin(): void {
    // A body begins when it is whole.
  }

  end(): void {
    const body = Buffer.from(JSON.stringify(this.#encode(this.#fold.answer())));
    this.#answer.send(200, "application/json", [body], body.length);
  }

  fail(cause: CallFailure): void {
    this.#answer.fail(cause);
  }
}
