import { isUtf8 } from "node:buffer";
import { ByteCollector } from "../byte-collector.ts";
import { findSseFieldValueStart } from "./field-value.ts";
import type { SseEvent } from "./stream-event.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const newline = Buffer.from("\n");

/** A line or an event is larger than the reader takes. */
export class SseEventTooLargeError extends Error {
  override readonly name = "EventTooLargeError";
}

/** Data of an event are not UTF-8. */
export class InvalidUtf8EventError extends Error {
  override readonly name = "EventEncodingError";
}

/**
 * Reads an event stream as it comes, as the HTML standard says: LF, CRLF or CR,
 * a byte-order mark, comments and unknown fields ignored, `data` lines joined.
 * Chunks may be cut at any byte, inside a character too. An event that the end
 * of the stream cut off counts when its `data` was given (`finish`), because some
 * servers leave the last blank line out. It reads bytes, where libraries read text: only so is
 * an event bounded before it is whole, and are bytes that are no text refused.
 */
export class SseEventReader {
  readonly #maxBytes: number;
  readonly #onBytes: (bytes: number) => void;
  /** A line whose end has not come yet. */
  readonly #line = new ByteCollector();
  /** Bytes of the event that is being read, to bound it. */
  #bytes = 0;
  #name: string | undefined;
  /** The first line of data. */
  #data: string | undefined;
  /** Further lines of data, each behind a line feed; a text that grows costs more for each line than its bytes. */
  readonly #moreData = new ByteCollector();
  /** The next line is the first of the stream, which may have a byte-order mark. */
  #isFirst: boolean;
  /** The last line ended in CR: a LF right behind it belongs to it. */
  #skipsFeed = false;

  /**
   * `maxBytes`: the largest event, its field names included. `onBytes` is called with the bytes
   * of an event that is not whole before they are held, and may throw. `isStart`: the bytes are
   * read from the beginning of their stream.
   */
  constructor(maxBytes: number, onBytes: (bytes: number) => void = ignore, isStart = true) {
    this.#maxBytes = maxBytes;
    this.#onBytes = onBytes;
    this.#isFirst = isStart;
  }

  /** The events that these bytes complete. Throws `SseEventTooLargeError` or `InvalidUtf8EventError`. */
  push(chunk: Buffer): readonly SseEvent[] {
    const events: SseEvent[] = [];
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
  finish(): readonly SseEvent[] {
    const events: SseEvent[] = [];
    if (this.#line.length > 0) this.#takeLine(Buffer.alloc(0), 0, 0, events);
    this.#endEvent(events);
    return events;
  }

  /** The LF of a CRLF, which the CR has already ended. */
  #isRestOfLineEnd(start: number, end: number, feed: number): boolean {
    return this.#skipsFeed && end === feed && start === end && this.#line.length === 0;
  }

  #keep(piece: Buffer): void {
    this.#skipsFeed = false;
    this.#count(piece.length);
    this.#onBytes(this.#bytes);
    this.#line.push(piece);
  }

  #takeLine(chunk: Buffer, start: number, end: number, events: SseEvent[]): void {
    this.#count(end - start + 1);
    if (this.#line.length > 0) this.#takeSplitLine(chunk.subarray(start, end));
    else if (start === end) this.#endEvent(events);
    else this.#readLine(chunk, start, end);
  }

  #takeSplitLine(rest: Buffer): void {
    this.#line.push(rest);
    const line = this.#line.take();
    this.#readLine(line, 0, line.length);
  }

  /** Only the values that are told are made text of. */
  #readLine(bytes: Buffer, lineStart: number, end: number): void {
    const start = this.#isFirst ? afterMark(bytes, lineStart) : lineStart;
    this.#isFirst = false;
    const data = valueOf(bytes, start, end, "data");
    if (data !== -1) this.#addData(bytes, data, end);
    else {
      const name = valueOf(bytes, start, end, "event");
      if (name !== -1) this.#name = bytes.toString("utf8", name, end);
    }
  }

  #addData(bytes: Buffer, start: number, end: number): void {
    if (this.#data === undefined) this.#data = readText(bytes, start, end);
    else {
      this.#onBytes(this.#bytes);
      this.#moreData.push(newline);
      this.#moreData.push(bytes.subarray(start, end));
    }
  }

  #takeData(): string | undefined {
    const data = this.#data;
    this.#data = undefined;
    if (data === undefined || this.#moreData.length === 0) return data;
    const more = this.#moreData.take();
    return data + readText(more, 0, more.length);
  }

  #endEvent(events: SseEvent[]): void {
    this.#bytes = 0;
    const data = this.#takeData();
    if (data !== undefined) events.push({ name: this.#name, data });
    this.#name = undefined;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes)
      throw new SseEventTooLargeError(`sent an event of more than ${this.#maxBytes} bytes`);
  }
}

function ignore(): void {}

/** Behind the byte-order mark, if the stream begins with one. */
function afterMark(bytes: Buffer, start: number): number {
  const isMark = bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
  return isMark ? start + 3 : start;
}

/** Where a field's value begins; a line that is its name alone has an empty one. */
function valueOf(bytes: Buffer, start: number, end: number, name: string): number {
  const isBare = end - start === name.length && bytes.toString("latin1", start, end) === name;
  return isBare ? end : findSseFieldValueStart(bytes, start, end, name);
}

/** Bytes that are no text would become replacement characters in what a caller reads. */
function readText(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("utf8", start, end);
  if (text.includes("\u{fffd}") && !isUtf8(bytes.subarray(start, end))) {
    throw new InvalidUtf8EventError("sent an event that is not UTF-8");
  }
  return text;
}
