/**
 * Collects pieces of bytes into one buffer. It grows by doubling: pieces of any size cost at
 * most about twice their bytes, where a list of them costs some hundred bytes for each piece.
 */
export class ByteCollector {
  #bytes: Buffer = nothing;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The bytes so far, in place: valid until the next push. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Adds a piece. The first is not copied: its memory must not change. */
  push(piece: Buffer): void {
    const needed = this.#length + piece.length;
    if (this.#length === 0) this.#bytes = piece;
    else {
      this.#grow(needed);
      piece.copy(this.#bytes, this.#length);
    }
    this.#length = needed;
  }

  /** Returns the bytes so far, which then belong to the caller, and starts empty. */
  take(): Buffer {
    const { bytes } = this;
    this.#bytes = nothing;
    this.#length = 0;
    return bytes;
  }

  #grow(needed: number): void {
    if (needed <= this.#bytes.length) return;
    const room = Buffer.allocUnsafe(needed * 2);
    this.#bytes.copy(room, 0, 0, this.#length);
    this.#bytes = room;
  }
}

/**
 * Reads all bytes of a body. Returns undefined for one of more than `maxBytes`, and reads no more
 * of it. `hold` is called with what is in memory before each piece; what it throws is thrown.
 */
export async function readBytesWithinLimit(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  hold: (bytes: number) => void = () => undefined,
): Promise<Buffer | undefined> {
  const collected = new ByteCollector();
  for await (const chunk of body) {
    const length = collected.length + chunk.length;
    if (length > maxBytes) return undefined;
    hold(length);
    collected.push(chunk);
  }
  return collected.take();
}

const nothing = Buffer.alloc(0);
