import type { StreamEncoder } from "../../dialect/codec.ts";
import type { CallerFacingError } from "../../dialect/dialect-error.ts";
import type { NeutralEvent } from "../../dialect/neutral-event.ts";
import {
  noopMemoryReserver,
  reserveIfPossible,
  type MemoryReserver,
} from "../../platform/hold-memory.ts";
import {
  defaultEventStreamContentType,
  type CallerResponse,
  type CallerStreamFormat,
} from "../call/caller-response.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { StreamStage } from "../pass-through/stage.ts";
import { appendAll } from "../../platform/append-all.ts";

/** More events of one read than this are written piece by piece: their frames take too long at once. */
const manyEvents = 4096;

/** Frames are joined to pieces of about so many characters. */
const pieceCharacters = 64 * 1024;

/** Writes a stream of events in the caller's dialect. */
export class CallerEventStreamWriter
  implements StreamStage<readonly NeutralEvent[]>, CallerStreamFormat
{
  readonly status = 200;
  readonly contentType = defaultEventStreamContentType;
  readonly #response: CallerResponse;
  readonly #encoder: StreamEncoder;
  readonly #hold: MemoryReserver;
  /** Was encoded and is not yet passed on. */
  #frames = "";
  /** Events that are written when the caller has read earlier frames. Undefined while nothing waits. */
  #waiting: NeutralEvent[] | undefined;

  /** `hold` counts large frames until they are written. */
  constructor(
    answer: CallerResponse,
    encoder: StreamEncoder,
    hold: MemoryReserver = noopMemoryReserver,
  ) {
    this.#response = answer;
    this.#encoder = encoder;
    this.#hold = reserveIfPossible(hold);
    answer.form = this;
  }

  push(events: readonly NeutralEvent[]): boolean {
    if (this.#waiting !== undefined) {
      appendAll(this.#waiting, events);
      return false;
    }
    if (events.length > manyEvents) return this.#pushInPieces([], events);
    for (const [at, event] of events.entries()) {
      const large = event.type === "part-delta" ? undefined : this.#encoder.largeFrames?.(event);
      if (large !== undefined) return this.#pushInPieces(large, events.slice(at + 1));
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
    this.#response.hasBody = true;
    return this.#response.push(bytes);
  }

  #pushInPieces(frames: Iterable<string>, behind: readonly NeutralEvent[]): boolean {
    this.#flush();
    this.#waiting = [...behind];
    this.#response.hasBody = true;
    return this.#response.pushParts(this.#countedParts(this.#framesOf(frames, this.#waiting)));
  }

  /** The frames one by one, then the frames of later events, to which more are added meanwhile. */
  *#framesOf(frames: Iterable<string>, waiting: readonly NeutralEvent[]): Iterable<string> {
    yield* frames;
    for (const event of waiting) {
      const large = event.type === "part-delta" ? undefined : this.#encoder.largeFrames?.(event);
      if (large === undefined) yield this.#encoder.push(event);
      else yield* large;
    }
    this.#waiting = undefined;
  }

  /** A part is asked for when the caller has read the one before. Only small frames are joined. */
  *#countedParts(frames: Iterable<string>): Iterable<Buffer> {
    let joined = "";
    for (const frame of frames) {
      if (joined !== "" && joined.length + frame.length > pieceCharacters) {
        yield* this.#countedPart(joined);
        joined = "";
      }
      joined += frame;
    }
    if (joined !== "") yield* this.#countedPart(joined);
  }

  *#countedPart(text: string): Iterable<Buffer> {
    const bytes = Buffer.from(text);
    const giveBack = this.#hold(bytes.length);
    yield bytes;
    giveBack();
  }
}
