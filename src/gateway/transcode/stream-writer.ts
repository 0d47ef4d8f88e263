import type { StreamEncoder } from "../../dialect/codec.ts";
import type { CallerFacingError } from "../../dialect/dialect-error.ts";
import type { NeutralEvent } from "../../dialect/neutral-event.ts";
import { ApiError } from "../../platform/errors.ts";
import {
  uncountedMemoryReserver,
  type MemoryReleaser,
  type MemoryReserver,
} from "../../platform/hold-memory.ts";
import {
  defaultEventStreamContentType,
  type CallerResponse,
  type StreamFormat,
} from "../call/caller-response.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { Stage } from "../pass-through/stage.ts";

/** Writes a stream of events in the caller's dialect. */
export class CallerStreamWriter implements Stage<readonly NeutralEvent[]>, StreamFormat {
  readonly status = 200;
  readonly contentType = defaultEventStreamContentType;
  readonly #response: CallerResponse;
  readonly #encoder: StreamEncoder;
  readonly #hold: MemoryReserver;
  /** Was encoded and is not yet passed on. */
  #frames = "";
  /** Events behind large frames that are being written; undefined: none are. */
  #waiting: NeutralEvent[] | undefined;

  /** `hold` counts large frames until they are written. */
  constructor(
    answer: CallerResponse,
    encoder: StreamEncoder,
    hold: MemoryReserver = uncountedMemoryReserver,
  ) {
    this.#response = answer;
    this.#encoder = encoder;
    this.#hold = hold;
    answer.form = this;
  }

  push(events: readonly NeutralEvent[]): boolean {
    if (this.#waiting !== undefined) {
      this.#waiting.push(...events);
      return false;
    }
    for (const [at, event] of events.entries()) {
      const large = event.type === "part-delta" ? undefined : this.#encoder.largeFrames?.(event);
      if (large !== undefined) return this.#pushLarge(large, events.slice(at + 1));
      this.#frames += this.#encoder.push(event);
    }
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

  serializeError(error: CallerFacingError): string {
    return this.#encoder.fail(error);
  }

  #flush(): boolean {
    if (this.#frames === "") return true;
    const bytes = Buffer.from(this.#frames);
    this.#frames = "";
    return this.#response.push(bytes);
  }

  #pushLarge(frames: Iterable<string>, behind: readonly NeutralEvent[]): boolean {
    this.#flush();
    this.#waiting = [...behind];
    return this.#response.pushParts(this.#partsOf(frames, this.#waiting));
  }

  /** The frames one by one, then those of later events. */
  *#partsOf(frames: Iterable<string>, waiting: NeutralEvent[]): Iterable<Buffer> {
    yield* this.#countedParts(frames);
    for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
      yield* this.#countedParts(this.#encoder.largeFrames?.(event) ?? [this.#encoder.push(event)]);
    }
    this.#waiting = undefined;
  }

  /** A part is asked for when the caller has read the one before. */
  *#countedParts(frames: Iterable<string>): Iterable<Buffer> {
    for (const frame of frames) {
      if (frame === "") continue;
      const bytes = Buffer.from(frame);
      const giveBack = this.#count(bytes.length);
      yield bytes;
      giveBack();
    }
  }

  /** The answer is complete and paid for, so its frames are written even if the account holds too much. */
  #count(bytes: number): MemoryReleaser {
    try {
      return this.#hold(bytes);
    } catch (error) {
      if (error instanceof ApiError) return () => undefined;
      throw error;
    }
  }
}
