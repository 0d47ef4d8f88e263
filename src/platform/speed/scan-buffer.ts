import {
  tryLoadJsonStringScanner,
  jsonScannerInputBytes,
  jsonScannerInputAddress,
} from "./end-of-plain-text.ts";

const vectors = tryLoadJsonStringScanner();
const memory = new Uint8Array(vectors?.memory.buffer ?? new ArrayBuffer(0));

/** The bytes of a JSON text while it is scanned: forward, and to the end before another is. */
export class JsonScanBuffer {
  readonly bytes: Buffer;
  /** The part of them that is in the memory; none at first. */
  #start = 0;
  #end = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /**
   * The place from `position` on, inside of a string, of the first byte that may be
   * more than plain text or an escape of two bytes; the length when there is none.
   * Without vectors it is `position` itself.
   */
  afterPlain(position: number): number {
    if (vectors === undefined) return position;
    let place = position;
    do {
      if (place >= this.#end) this.#load(place);
      const offset = jsonScannerInputAddress - this.#start;
      place = vectors.afterPlain(place + offset, this.#end + offset) - offset;
    } while (place === this.#end && place < this.bytes.length);
    return place;
  }

  #load(position: number): void {
    this.#start = position;
    this.#end = Math.min(this.bytes.length, position + jsonScannerInputBytes);
    memory.set(this.bytes.subarray(this.#start, this.#end), jsonScannerInputAddress);
  }
}
