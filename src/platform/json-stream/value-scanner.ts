import { ByteCollector } from "../byte-collector.ts";
import { JsonStreamError } from "./json-stream-error.ts";

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];

/**
 * Follows one JSON value over any number of chunks, and keeps its bytes if they
 * are wanted. The first byte scanned is the value's first.
 */
export class JsonValueScanner {
  readonly keeps: boolean;
  readonly #collected = new ByteCollector();
  #depth = 0;
  #inString = false;
  #escaped = false;
  #begun = false;
  #word = false;
  #hasWord = false;
  #complete = false;
  #innerValues = 0;

  constructor(keeps: boolean) {
    this.keeps = keeps;
  }

  get isComplete(): boolean {
    return this.#complete;
  }

  /** A number, `true`, `false` or `null`: only what follows tells that it has ended. */
  get isNumberOrWord(): boolean {
    return this.#word;
  }

  /** Values inside of it so far: at most as many as it has commas and opening brackets. */
  get innerValues(): number {
    return this.#innerValues;
  }

  /** Takes bytes up to the end of the value; the answer is the position after them. */
  scan(chunk: Buffer, start: number): number {
    const end = this.#word ? this.#endOfWord(chunk, start) : this.#endOfValue(chunk, start);
    if (this.keeps && end > start) this.#keep(chunk.subarray(start, end));
    return end;
  }

  /** Whoever reads may use the memory of a chunk again for the next one. */
  #keep(bytes: Buffer): void {
    const isCopied = this.#complete || this.#collected.length > 0;
    this.#collected.push(isCopied ? bytes : Buffer.from(bytes));
  }

  /** What was kept of the value; it may lie in the last chunk. */
  bytes(): Buffer {
    return this.#collected.bytes;
  }

  value(): unknown {
    try {
      return JSON.parse(this.bytes().toString("utf8"));
    } catch {
      throw new JsonStreamError("not JSON");
    }
  }

  #endOfValue(chunk: Buffer, start: number): number {
    let position = start;
    while (position < chunk.length) {
      if (this.#inString) position = this.#endOfString(chunk, position);
      else {
        this.#structure(chunk[position] ?? 0);
        if (this.#word) return this.#endOfWord(chunk, position);
        position += 1;
      }
      if (this.#depth === 0 && !this.#inString) {
        this.#complete = true;
        return position;
      }
    }
    return position;
  }

  #structure(byte: number): void {
    if (byte === quote) this.#inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      this.#depth += 1;
      this.#innerValues += 1;
    } else if (byte === comma) this.#innerValues += 1;
    else if (byte === 0x7d || byte === 0x5d) this.#depth -= 1;
    else if (!this.#begun) this.#word = true;
    this.#begun = true;
    if (this.#depth < 0) throw new JsonStreamError("not JSON");
  }

  /** Position after the closing quote, or the end of the chunk. */
  #endOfString(chunk: Buffer, start: number): number {
    let escaped = this.#escaped;
    for (let position = start; position < chunk.length; position++) {
      const byte = chunk[position];
      if (escaped) escaped = false;
      else if (byte === backslash) escaped = true;
      else if (byte === quote) {
        this.#inString = false;
        this.#escaped = false;
        return position + 1;
      }
    }
    this.#escaped = escaped;
    return chunk.length;
  }

  #endOfWord(chunk: Buffer, start: number): number {
    for (let position = start; position < chunk.length; position++) {
      const byte = chunk[position] ?? 0;
      const isPart =
        (byte >= 0x30 && byte <= 0x39) ||
        (byte >= 0x61 && byte <= 0x7a) ||
        byte === 0x2b ||
        byte === 0x2d ||
        byte === 0x2e ||
        byte === 0x45;
      if (isPart) continue;
      // Nothing that could begin a value: it would never come to an end.
      if (position === start && !this.#hasWord) throw new JsonStreamError("not JSON");
      this.#complete = true;
      return position;
    }
    this.#hasWord ||= chunk.length > start;
    return chunk.length;
  }
}
