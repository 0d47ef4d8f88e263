const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const colon = 0x3a;
const fieldName = Buffer.from("data");
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const newline = Buffer.from("\n");

/** Takes the data of events in pieces. */
export interface SseDataHandler {
  /** The next bytes of the data. Their memory may be reused after the call. */
  readonly onData: (piece: Buffer) => void;
  /** The event with these data is complete. */
  readonly onEnd: () => void;
}

/**
 * Follows an event stream and passes on the data of its events in pieces as they arrive.
 * Unlike `SseEventReader` it holds nothing, so an event may have any size. Lines and events
 * end as they do there; several `data` lines are joined by line feeds.
 */
export class StreamingSseDataReader {
  readonly #handler: SseDataHandler;
  /** Bytes of the byte-order mark that were read; -1 after the first line began. */
  #markBytes = 0;
  #line: "start" | "name" | "colon" | "data" | "other" = "start";
  /** Bytes of the field name that were read. */
  #nameBytes = 0;
  #hasData = false;
  /** The last line ended in CR: an LF right after it belongs to it. */
  #skipsFeed = false;

  constructor(handler: SseDataHandler) {
    this.#handler = handler;
  }

  push(chunk: Buffer): void {
    let start = 0;
    let feed = chunk.indexOf(lineFeed);
    let carriage = chunk.indexOf(carriageReturn);
    while (start < chunk.length) {
      if (feed !== -1 && feed < start) feed = chunk.indexOf(lineFeed, start);
      if (carriage !== -1 && carriage < start) carriage = chunk.indexOf(carriageReturn, start);
      const end = carriage === -1 || (feed !== -1 && feed < carriage) ? feed : carriage;
      this.#takePiece(chunk, start, end === -1 ? chunk.length : end);
      if (end === -1) return;
      this.#endLine(end === carriage);
      start = end + 1;
    }
  }

  /** Takes an event that the end of the stream left open. */
  finish(): void {
    if (this.#line !== "start") this.#endLine(false);
    this.#endEvent();
  }

  #takePiece(chunk: Buffer, start: number, end: number): void {
    if (start === end) return;
    this.#skipsFeed = false;
    let at = start;
    while (at < end && this.#line !== "data" && this.#line !== "other") {
      at += this.#readHead(chunk[at] ?? 0);
    }
    if (this.#line === "data" && at < end) this.#handler.onData(chunk.subarray(at, end));
  }

  /** Reads a byte before the value of a line. Returns how many bytes it took: 0 or 1. */
  #readHead(byte: number): number {
    if (this.#line === "start") {
      if (this.#markBytes >= 0 && byte === byteOrderMark[this.#markBytes]) {
        this.#markBytes += 1;
        return 1;
      }
      this.#markBytes = -1;
      this.#nameBytes = 0;
      this.#line = "name";
    }
    if (this.#line === "colon") {
      this.#beginData();
      return byte === space ? 1 : 0;
    }
    if (this.#nameBytes === fieldName.length) this.#line = byte === colon ? "colon" : "other";
    else if (byte !== fieldName[this.#nameBytes]) this.#line = "other";
    else this.#nameBytes += 1;
    return 1;
  }

  #beginData(): void {
    this.#line = "data";
    if (this.#hasData) this.#handler.onData(newline);
    this.#hasData = true;
  }

  #endLine(isCarriage: boolean): void {
    const isRestOfEnd = this.#skipsFeed && !isCarriage;
    this.#skipsFeed = isCarriage;
    if (isRestOfEnd) return;
    if (this.#line === "start") this.#endEvent();
    // A line that is the field's name alone has an empty value.
    else if (this.#isBareName()) this.#beginData();
    this.#line = "start";
    this.#markBytes = -1;
  }

  #isBareName(): boolean {
    const isName = this.#line === "name" && this.#nameBytes === fieldName.length;
    return isName || this.#line === "colon";
  }

  #endEvent(): void {
    if (this.#hasData) this.#handler.onEnd();
    this.#hasData = false;
  }
}
