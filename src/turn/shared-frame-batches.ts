import type { EventLoopTurnstile } from "../platform/event-loop-turnstile.ts";
import type { MemoryReservationScope } from "../platform/hold-memory.ts";
import type { TurnFrameBatch } from "./turn-store.ts";

/** Shorter batches are joined for each reader. */
const largeCharacters = 64 * 1024;

/** A reader gets fewer characters of small batches at once: all readers of a turn get them together. */
const pacedCharacters = 16 * 1024;

/** Bytes that are sent in one go; a piece of whole events has these, and the rest of its last event. */
const pieceBytes = 256 * 1024;

interface SharedBatch {
  readonly bytes: Buffer;
  /** At which byte each frame begins. */
  readonly starts: readonly number[];
  readonly memory: MemoryReservationScope;
  readers: number;
}

/** How one reader is sent batches. */
export interface FrameBatchReadOptions {
  /** Opens the memory of the reader's account. */
  readonly openMemory: () => MemoryReservationScope;
  /** Each piece of a large batch ends with an event. */
  readonly wantsWholeEvents: boolean;
}

/** The part of a batch that one reader is sent. */
interface OpenBatch {
  /** Frames of a small batch. */
  readonly text: string;
  /** Pieces of a large one. */
  readonly pieces: () => AsyncIterable<Buffer>;
  readonly close: () => void;
}

/**
 * The batches of one turn as bytes. The bytes of a large batch are created once for all readers
 * that receive it at the time, counted once, and sent in pieces: in each turn of the event loop one piece
 * to one reader.
 */
export class SharedFrameBatches {
  readonly #turnstile: EventLoopTurnstile;
  readonly #batches = new Map<number, SharedBatch>();

  constructor(turnstile: EventLoopTurnstile) {
    this.#turnstile = turnstile;
  }

  /**
   * Returns the bytes of the batches behind the event `after`. The result holds no frame of a large batch, however
   * slowly it is read. Throws 429 if the account of the reader holds too much.
   */
  read(
    batches: readonly TurnFrameBatch[],
    after: number,
    options: FrameBatchReadOptions,
  ): AsyncIterable<Buffer | string> {
    const opened: OpenBatch[] = [];
    try {
      for (const batch of batches) opened.push(this.#open(batch, after, options));
    } catch (error) {
      for (const { close } of opened) close();
      throw error;
    }
    return this.#sendAll(opened);
  }

  #open(
    batch: TurnFrameBatch,
    after: number,
    { openMemory, wantsWholeEvents }: FrameBatchReadOptions,
  ): OpenBatch {
    const skipped = Math.max(0, after + 1 - batch.first);
    const known = this.#batches.get(batch.first);
    if (known === undefined && !isLarge(batch)) return openSmall(batch, skipped);
    const shared = known ?? this.#share(batch, openMemory());
    shared.readers += 1;
    const from = shared.starts[skipped] ?? shared.bytes.length;
    return {
      text: "",
      pieces: () => this.#send(shared, from, wantsWholeEvents),
      close: () => this.#close(batch.first, shared),
    };
  }

  #share({ first, frames }: TurnFrameBatch, memory: MemoryReservationScope): SharedBatch {
    const starts: number[] = [];
    let length = 0;
    for (const frame of frames) {
      starts.push(length);
      length += Buffer.byteLength(frame);
    }
    memory.hold(length);
    const bytes = Buffer.allocUnsafeSlow(length);
    for (const [index, frame] of frames.entries()) bytes.write(frame, starts[index] ?? 0);
    const shared = { bytes, starts, memory, readers: 0 };
    this.#batches.set(first, shared);
    return shared;
  }

  #close(first: number, shared: SharedBatch): void {
    shared.readers -= 1;
    if (shared.readers > 0) return;
    this.#batches.delete(first);
    shared.memory.giveBack();
  }

  async *#sendAll(opened: readonly OpenBatch[]): AsyncIterable<Buffer | string> {
    let characters = 0;
    try {
      for (const { text, pieces } of opened) {
        characters += text.length;
        if (characters >= pacedCharacters) {
          await this.#turnstile.pass();
          characters = 0;
        }
        if (text !== "") yield text;
        yield* pieces();
      }
    } finally {
      for (const { close } of opened) close();
    }
  }

  async *#send(
    { bytes, starts }: SharedBatch,
    from: number,
    wantsWholeEvents: boolean,
  ): AsyncIterable<Buffer> {
    for (let at = from, end = from; at < bytes.length; at = end) {
      await this.#turnstile.pass();
      end = at + pieceBytes;
      if (wantsWholeEvents) end = starts.find((start) => start >= end) ?? bytes.length;
      yield bytes.subarray(at, end);
    }
  }
}

function openSmall({ frames }: TurnFrameBatch, skipped: number): OpenBatch {
  const text = frames.slice(skipped).join("");
  return { text, pieces: noPieces, close: () => undefined };
}

async function* noPieces(): AsyncIterable<Buffer> {}

function isLarge({ frames }: TurnFrameBatch): boolean {
  let characters = 0;
  for (const frame of frames) {
    characters += frame.length;
    if (characters >= largeCharacters) return true;
  }
  return false;
}
