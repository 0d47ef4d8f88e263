import type { ApiError } from "../../platform/errors.ts";
import type { RequestBodyMemoryOwner } from "../../platform/body-holder.ts";
import type {
  RequestBodyAbortListener,
  RequestBodyMemoryBudget,
  HeldRequestBody,
} from "../../platform/body-memory-budget.ts";

/** Cost of each chunk and each frame in addition to its bytes: a sender chooses how small they are. */
const pieceBytes = 128;

/** Bits of the first two bytes of a frame (RFC 6455, 5.2). */
const bit = { final: 0x80, control: 0x08, masked: 0x80, length: 0x7f } as const;

/** Bytes of a frame's head without its length and its mask. */
const shortHeadBytes = 2;

/**
 * Counts the messages of a connection among the bodies that are held. It finds where they
 * begin and end in the bytes that arrive, so that a message counts from its first byte,
 * wherever in a chunk that is. A whole message goes on counting for the code that takes it.
 */
export class WebSocketMessageMemoryTracker {
  readonly #bodies: RequestBodyMemoryBudget;
  readonly #holder: RequestBodyMemoryOwner;
  readonly #whole: HeldRequestBody[] = [];
  #held: HeldRequestBody | undefined;
  #isEnded = false;
  /** Bytes of the current frame's head that have arrived. */
  #headBytes = 0;
  /** Bytes that its head has, as far as it is known. */
  #headSize = shortHeadBytes;
  /** Where the length ends in its head. */
  #lengthEnd = shortHeadBytes;
  #payloadLeft = 0;
  #isFinal = false;
  #isControl = false;
  /** `performance.now()` of its first byte. Undefined while no message is arriving. */
  since: number | undefined;

  constructor(bodies: RequestBodyMemoryBudget, holder: RequestBodyMemoryOwner) {
    this.#bodies = bodies;
    this.#holder = holder;
  }

  /** Called with the error for the caller if the message cannot be held or is too slow. */
  onEnd: RequestBodyAbortListener = () => undefined;

  /** Counts more bytes of the connection. Call it before the library reads them. */
  add(chunk: Buffer): void {
    let start = 0;
    let pieces = 1;
    for (let at = 0; at < chunk.length && !this.#isEnded;) {
      if (this.#headBytes === 0) {
        this.#readOpcode(chunk[at] ?? 0);
        if (this.since === undefined) start = at;
        if (!this.#isControl) {
          pieces += 1;
          this.#begin();
        }
      }
      at = this.#readFrame(chunk, at);
      if (!this.#isWholeFrame) continue;
      this.#headBytes = 0;
      if (this.#isControl || !this.#isFinal) continue;
      this.#count(at - start, pieces);
      this.#finish();
      pieces = 1;
    }
    if (this.since !== undefined) this.#count(chunk.length - start, pieces);
  }

  /** Returns the oldest whole message, which the caller releases. Returns undefined if it was ended. */
  take(): HeldRequestBody | undefined {
    return this.#whole.shift();
  }

  /** Releases all that has not been taken. Nothing that arrives later counts. */
  end(): void {
    this.#isEnded = true;
    for (const held of this.#whole.splice(0)) held.release();
    this.#held?.release();
    this.#held = undefined;
    this.since = undefined;
  }

  get #isWholeFrame(): boolean {
    return this.#headBytes === this.#headSize && this.#payloadLeft === 0;
  }

  #readOpcode(first: number): void {
    this.#isControl = (first & bit.control) !== 0;
    // A control frame may come between the frames of a message.
    if (!this.#isControl) this.#isFinal = (first & bit.final) !== 0;
    this.#headSize = shortHeadBytes;
    this.#payloadLeft = 0;
  }

  /** Reads as much of one frame as the chunk has. Returns the index behind it. */
  #readFrame(chunk: Buffer, start: number): number {
    let at = start;
    while (this.#headBytes < this.#headSize && at < chunk.length) this.#readHead(chunk[at++] ?? 0);
    if (this.#headBytes < this.#headSize) return at;
    const read = Math.min(this.#payloadLeft, chunk.length - at);
    this.#payloadLeft -= read;
    return at + read;
  }

  #readHead(code: number): void {
    const index = this.#headBytes;
    this.#headBytes += 1;
    if (index === 0) return;
    if (index === 1) {
      const length = code & bit.length;
      const lengthBytes = length < 126 ? 0 : length === 126 ? 2 : 8;
      this.#headSize += lengthBytes + ((code & bit.masked) === 0 ? 0 : 4);
      this.#payloadLeft = lengthBytes === 0 ? length : 0;
      this.#lengthEnd = shortHeadBytes + lengthBytes;
    } else if (index < this.#lengthEnd) {
      this.#payloadLeft = this.#payloadLeft * 256 + code;
    }
  }

  #begin(): void {
    if (this.since !== undefined) return;
    this.since = performance.now();
    this.#held = this.#bodies.allocate(this.#holder);
    this.#held.begin({ declared: undefined, onEnd: (reason) => this.#fail(reason) });
  }

  #count(bytes: number, pieces: number): void {
    try {
      this.#held?.add(bytes + pieces * pieceBytes);
    } catch (error) {
      this.#fail(error as ApiError);
    }
  }

  #finish(): void {
    if (this.#held === undefined) return;
    this.#held.finish();
    this.#whole.push(this.#held);
    this.#held = undefined;
    this.since = undefined;
  }

  #fail(reason: ApiError): void {
    if (this.#isEnded) return;
    this.end();
    this.onEnd(reason);
  }
}
