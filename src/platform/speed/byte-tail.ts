/** Enough for the last two events of any dialect, usage included. */
const maxTailBytes = 8192;

/** The end of a stream, or of a large body, copied. Speed: docs/performance.md, `byte-tail`. */
export class ByteTail {
  /** A ring; small streams never fill it. */
  #bytes: Buffer = Buffer.alloc(0);
  #end = 0;
  #isFull = false;

  push(chunk: Buffer): void {
    if (this.#bytes.length === 0) this.#bytes = Buffer.allocUnsafeSlow(maxTailBytes);
    const last = chunk.length > maxTailBytes ? chunk.subarray(-maxTailBytes) : chunk;
    const untilWrap = last.copy(this.#bytes, this.#end);
    last.copy(this.#bytes, 0, untilWrap);
    const end = this.#end + last.length;
    this.#isFull ||= end >= maxTailBytes;
    this.#end = end % maxTailBytes;
  }

  toString(): string {
    const older = this.#isFull ? this.#bytes.toString("latin1", this.#end) : "";
    return older + this.#bytes.toString("latin1", 0, this.#end);
  }
}
