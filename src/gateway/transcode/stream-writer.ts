import type { StreamEncoder } from "../../dialect/codec.ts";
import type { DialectError } from "../../dialect/dialect-error.ts";
import type { TurnEvent } from "../../dialect/turn-event.ts";
import { ownStreamType, type Answer, type StreamForm } from "../call/answer.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { Stage } from "../relay/stage.ts";

/** Writes a stream of events in the caller's dialect. */
export class StreamWriter implements Stage<readonly TurnEvent[]>, StreamForm {
  readonly status = 200;
  readonly contentType = ownStreamType;
  readonly #answer: Answer;
  readonly #encoder: StreamEncoder;
  /** Was encoded and is not yet passed on. */
  #frames = "";

  constructor(answer: Answer, encoder: StreamEncoder) {
    this.#answer = answer;
    this.#encoder = encoder;
    answer.form = this;
  }

  push(events: readonly TurnEvent[]): boolean {
    for (const event of events) this.#frames += this.#encoder.push(event);
    return this.#flush();
  }

  finish(): void {
    this.#answer.finish();
  }

  /** What was encoded before the encoder itself failed belongs to the caller of a stream that has begun. */
  fail(cause: CallFailure): void {
    if (this.#answer.isStreaming) this.#flush();
    this.#answer.fail(cause);
  }

  printError(error: DialectError): string {
    return this.#encoder.fail(error);
  }

  #flush(): boolean {
    if (this.#frames === "") return true;
    const bytes = Buffer.from(this.#frames);
    this.#frames = "";
    return this.#answer.push(bytes);
  }
}
