/** Enough for the last two events of any dialect, usage included. */
const tailBytes = 8192;

/** The end of a stream, kept by reference to its last chunks. */
export class ByteTail {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#isSpare(this.#chunks[0])) this.#length -= this.#chunks.shift()?.length ?? 0;
  }

  toString(): string {
    return Buffer.concat(this.#chunks).toString("latin1");
  }

  #isSpare(oldest: Buffer | undefined): boolean {
    return oldest !== undefined && this.#length - oldest.length >= tailBytes;
  }
}
