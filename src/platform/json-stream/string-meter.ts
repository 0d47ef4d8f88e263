const [quote, backslash, letterU] = [0x22, 0x5c, 0x75];

/** Counts the code units of JSON strings from their bytes, and holds nothing. */
export class JsonStringMeter {
  #codeUnits = 0;
  #isEscape = false;
  /** Digits of a `\u` escape that have not come yet. */
  #digits = 0;

  get codeUnits(): number {
    return this.#codeUnits;
  }

  /** Takes bytes of a string, its quotes included. */
  push(bytes: Buffer, start: number, end: number): void {
    for (let at = start; at < end; at++) this.#take(bytes[at] ?? 0);
  }

  #take(byte: number): void {
    if (this.#isEscape) {
      this.#isEscape = false;
      this.#codeUnits += 1;
      if (byte === letterU) this.#digits = 4;
    } else if (this.#digits > 0) this.#digits -= 1;
    else if (byte === backslash) this.#isEscape = true;
    else if (byte !== quote && !isContinuation(byte)) this.#codeUnits += byte >= 0xf0 ? 2 : 1;
  }
}

/** A byte of UTF-8 that does not begin a character. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
