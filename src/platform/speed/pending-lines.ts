/** Enough for the rows of a quiet server; twice as much is taken when it is full. */
const firstBytes = 16 * 1024;

/** UTF-8 needs at most so many bytes for a unit of a string. */
const bytesPerUnit = 3;

const lineFeed = 0x0a;

/**
 * Texts that wait to be written, none of which has a line feed, as the bytes of lines. Speed:
 * docs/performance.md, `waiting-texts`.
 */
export class PendingLogLines {
  #bytes = Buffer.allocUnsafeSlow(firstBytes);
  #end = 0;
  #count = 0;

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  /** Bytes of all of them. */
  get length(): number {
    return this.#end;
  }

  add(text: string): void {
    const needed = this.#end + text.length * bytesPerUnit + 1;
    if (needed > this.#bytes.length) this.#grow(needed);
    if (this.#count > 0) this.#bytes[this.#end++] = lineFeed;
    this.#end += this.#bytes.write(text, this.#end);
    this.#count += 1;
  }

  /** The lines. Nothing may be added while they are used. */
  toBytes(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  /** Forgets them and keeps their room, once what `toBytes` gave is used no more. */
  clear(): void {
    this.#end = 0;
    this.#count = 0;
  }

  #grow(needed: number): void {
    const bytes = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(bytes, 0, 0, this.#end);
    this.#bytes = bytes;
  }
}
