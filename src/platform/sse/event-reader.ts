import type { StreamEvent } from "./read-events.ts";

import { isUtf8 } from "node:buffer";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A line or an event is larger than the reader takes. */
export class EventTooLarge extends Error {
  override readonly name = "EventTooLarge";
}

/** Data of an event are not UTF-8. */
export class EventNotText extends Error {
  override readonly name = "EventNotText";
}

/**
 * Reads an event stream as it comes, as the HTML standard says: LF, CRLF or CR,
 * a byte-order mark, comments and unknown fields ignored, `data` lines joined.
 * Chunks may be cut at any byte, inside a character too. An event that the end
 * of the stream cut off counts when its `data` was given (`finish`), because some
 * servers leave the last blank line out.
 */
export class EventReader {
  readonly #maxBytes: number;
  /** Pieces of a line whose end has not come yet. */
  #pieces: Buffer[] = [];
  /** Bytes of the event that is being read, to bound it. */
  #bytes = 0;
  #name: string | undefined;
  #data: string | undefined;
  #isFirst = true;
  /** The last line ended in CR: a LF right behind it belongs to it. */
  #skipsFeed = false;

  /** `maxBytes`: the largest event, its field names included. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The events that these bytes complete. Throws `EventTooLarge` or `EventNotText`. */
  push(chunk: Buffer): readonly StreamEvent[] {
    const events: StreamEvent[] = [];
    let start = 0;
    let feed = chunk.indexOf(lineFeed);
    let carriage = chunk.indexOf(carriageReturn);
    while (start < chunk.length) {
      if (feed !== -1 && feed < start) feed = chunk.indexOf(lineFeed, start);
      if (carriage !== -1 && carriage < start) carriage = chunk.indexOf(carriageReturn, start);
      const end = carriage === -1 || (feed !== -1 && feed < carriage) ? feed : carriage;
      if (end === -1) break;
      if (!this.#isRestOfLineEnd(start, end, feed)) this.#takeLine(chunk, start, end, events);
      this.#skipsFeed = end === carriage;
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return events;
  }

  /** The event that the end of the stream left open, if it has data. */
  finish(): readonly StreamEvent[] {
    const events: StreamEvent[] = [];
    if (this.#pieces.length > 0) this.#takeLine(Buffer.alloc(0), 0, 0, events);
    this.#endEvent(events);
    return events;
  }

  /** The LF of a CRLF, which the CR has already ended. */
  #isRestOfLineEnd(start: number, end: number, feed: number): boolean {
    return this.#skipsFeed && end === feed && start === end && this.#pieces.length === 0;
  }

  #keep(piece: Buffer): void {
    this.#skipsFeed = false;
    this.#pieces.push(piece);
    this.#count(piece.length);
  }

  #takeLine(chunk: Buffer, start: number, end: number, events: StreamEvent[]): void {
    this.#count(end - start + 1);
    const line = this.#lineOf(chunk, start, end);
    if (line === "") this.#endEvent(events);
    else this.#readLine(line);
  }

  #lineOf(chunk: Buffer, start: number, end: number): string {
    if (this.#pieces.length === 0) return readText(chunk, start, end);
    const whole = Buffer.concat([...this.#pieces, chunk.subarray(start, end)]);
    this.#pieces = [];
    return readText(whole, 0, whole.length);
  }

  #readLine(text: string): void {
    const line = this.#isFirst ? text.replace(/^\uFEFF/, "") : text;
    this.#isFirst = false;
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    if (name !== "data" && name !== "event") return;
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "event") this.#name = value;
    else this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }

  #endEvent(events: StreamEvent[]): void {
    this.#bytes = 0;
    if (this.#data !== undefined) events.push({ name: this.#name, data: this.#data });
    this.#name = undefined;
    this.#data = undefined;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes)
      throw new EventTooLarge(`sent an event of more than ${this.#maxBytes} bytes`);
  }
}

/** Bytes that are no text would become replacement characters in what a caller reads. */
function readText(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("utf8", start, end);
  const isData = text.length > 4 && text.startsWith("data");
  if (isData && text.includes("\u{fffd}") && !isUtf8(bytes.subarray(start, end))) {
    throw new EventNotText("sent an event that is not UTF-8");
  }
  return text;
}
