import type { EventLoopTurnstile } from "../platform/event-loop-turnstile.ts";
import type { MemoryReservationScope } from "../platform/hold-memory.ts";
import type { TurnFrameBatch } from "./turn-store.ts";

/** Shorter batches are joined for each reader. */
const largeCharacters = 64 * 1024;

/** Bytes that are sent in one go. */
const pieceBytes = 256 * 1024;

interface SharedBatch {
  readonly bytes: Buffer;
  /** At which byte each frame begins. */
  readonly starts: readonly number[];
  readonly memory: MemoryReservationScope;
  readers: number;
}

/** The part of a batch that one reader is sent. */
interface OpenBatch {
  readonly pieces: () => AsyncIterable<Buffer | string>;
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
   * slowly it is read. `openMemory` opens the memory of the account. Throws 429 if that holds too much.
   */
  read(
    batches: readonly TurnFrameBatch[],
    after: number,
    openMemory: () => MemoryReservationScope,
  ): AsyncIterable<Buffer | string> {
    const opened: OpenBatch[] = [];
    try {
      for (const batch of batches) opened.push(this.#open(batch, after, openMemory));
    } catch (error) {
      for (const { close } of opened) close();
      throw error;
    }
    return sendAll(opened);
  }

  #open(batch: TurnFrameBatch, after: number, openMemory: () => MemoryReservationScope): OpenBatch {
    const skipped = Math.max(0, after + 1 - batch.first);
    const known = this.#batches.get(batch.first);
    if (known === undefined && !isLarge(batch)) return openSmall(batch, skipped);
    const shared = known ?? this.#share(batch, openMemory());
    shared.readers += 1;
    const from = shared.starts[skipped] ?? shared.bytes.length;
    return {
      pieces: () => this.#send(shared.bytes, from),
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

  async *#send(bytes: Buffer, from: number): AsyncIterable<Buffer> {
    for (let at = from; at < bytes.length; at += pieceBytes) {
      await this.#turnstile.pass();
      yield bytes.subarray(at, at + pieceBytes);
    }
  }
}

async function* sendAll(opened: readonly OpenBatch[]): AsyncIterable<Buffer | string> {
  try {
    for (const { pieces } of opened) yield* pieces();
  } finally {
    for (const { close } of opened) close();
  }
}

function openSmall({ frames }: TurnFrameBatch, skipped: number): OpenBatch {
  const text = frames.slice(skipped).join("");
  async function* pieces(): AsyncIterable<string> {
    if (text !== "") yield text;
  }
  return { pieces, close: () => undefined };
}

function isLarge({ frames }: TurnFrameBatch): boolean {
  let characters = 0;
  for (const frame of frames) {
    characters += frame.length;
    if (characters >= largeCharacters) return true;
  }
  return false;
}
