import type { StreamEncoder } from "../../dialect/codec.ts";
import type { DialectError } from "../../dialect/dialect-error.ts";
import type { NeutralEvent } from "../../dialect/neutral-event.ts";
import {
  eventStreamContentType,
  type CallerResponse,
  type StreamFormat,
} from "../call/caller-response.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { Stage } from "../pass-through/stage.ts";

/** Writes a stream of events in the caller's dialect. */
export class StreamWriter implements Stage<readonly NeutralEvent[]>, StreamFormat {
  readonly status = 200;
  readonly contentType = eventStreamContentType;
  readonly #response: CallerResponse;
  readonly #encoder: StreamEncoder;
  /** Was encoded and is not yet passed on. */
  #frames = "";

  constructor(answer: CallerResponse, encoder: StreamEncoder) {
    this.#response = answer;
    this.#encoder = encoder;
    answer.form = this;
  }

  push(events: readonly NeutralEvent[]): boolean {
    for (const event of events) this.#frames += this.#encoder.push(event);
    return this.#flush();
  }

  finish(): void {
    this.#response.finish();
  }

  /** What was encoded before the encoder itself failed belongs to the caller of a stream that has begun. */
  fail(cause: CallFailure): void {
    if (this.#response.isStreaming) this.#flush();
    this.#response.fail(cause);
  }

  serializeError(error: DialectError): string {
    return this.#encoder.fail(error);
  }

  #flush(): boolean {
    if (this.#frames === "") return true;
    const bytes = Buffer.from(this.#frames);
    this.#frames = "";
    return this.#response.push(bytes);
  }
}
