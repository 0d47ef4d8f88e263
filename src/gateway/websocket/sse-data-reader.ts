import { isUtf8 } from "node:buffer";
import { noopMemoryReserver } from "../../platform/hold-memory.ts";
import { ByteCollector } from "../../platform/byte-collector.ts";
import { SseEventReader } from "../../platform/sse/event-reader.ts";
import {
  createUpstreamDataMemoryCounter,
  type UpstreamDataMemoryCounter,
} from "../call/hold-peak.ts";
import { bytesMatchAt } from "./bytes-match-at.ts";
import { appendAll } from "../../platform/append-all.ts";

/** The largest event of a stream that we write ourselves, or pass on. */
const maxEventBytes = 16 * 1024 * 1024;

/** An event that is larger is read piece by piece. */
const minZeroCopyBytes = 256 * 1024;

/** Line feeds of a plain event whose blank line has not come: behind its name and its data. */
const mostFeeds = 2;

const lineFeed = 0x0a;
const space = 0x20;
const colon = 0x3a;
const blankLine = Buffer.from("\n\n");
const dataField = Buffer.from("data:");
const dataName = Buffer.from("data");
const carriageReturn = 0x0d;

/** First byte of a byte-order mark, which the reader of all event streams takes off. */
const firstOfMark = 0xef;

/**
 * Reads the data of a stream's events as bytes: one line of them each, as all streams have
 * that we write and nearly all that we pass on, is cut out of its chunk. Whatever looks
 * otherwise is left to the reader of all event streams, for the rest of the stream.
 */
export class SseDataReader {
  #reader: SseEventReader | undefined;
  readonly #rest = new ByteCollector();
  /** Nothing of the stream has been cut out. */
  #isStart = true;
  readonly #hold: UpstreamDataMemoryCounter;

  /** `hold` is called with the bytes of an event that is not whole, and may throw. */
  constructor(
    hold: UpstreamDataMemoryCounter = createUpstreamDataMemoryCounter(noopMemoryReserver),
  ) {
    this.#hold = hold;
  }

  /** The data that these bytes complete. Throws `SseEventTooLargeError`, `InvalidUtf8EventError` or what `hold` throws. */
  push(chunk: Buffer): readonly Buffer[] {
    if (this.#reader !== undefined) return payloadsOf(this.#reader.push(chunk));
    const isBegun = this.#rest.length > 0;
    this.#rest.push(chunk);
    if (isBegun && !hasLineEnd(chunk) && this.#rest.length < minZeroCopyBytes) return [];
    const bytes = this.#rest.take();
    const payloads: Buffer[] = [];
    const isMarked = this.#isStart && bytes[0] === firstOfMark;
    const end = isPlain(bytes) && !isMarked ? cutOut(bytes, payloads) : 0;
    const isText = isUtf8(bytes.subarray(0, end));
    const rest = isText ? bytes.subarray(end) : bytes;
    this.#rest.push(rest);
    if (!isText) return this.#readOn();
    if (end > 0) this.#isStart = false;
    if (end < bytes.length && !isPlainRest(rest)) appendAll(payloads, this.#readOn());
    return payloads;
  }

  /** The data of an event that the end of the stream left open. */
  finish(): readonly Buffer[] {
    const read = this.#reader === undefined ? this.#readOn() : [];
    return [...read, ...payloadsOf(this.#reader?.finish() ?? [])];
  }

  #readOn(): readonly Buffer[] {
    this.#reader = new SseEventReader(maxEventBytes, this.#hold, this.#isStart);
    return payloadsOf(this.#reader.push(this.#rest.take()));
  }
}

function payloadsOf(events: readonly { readonly data: string }[]): Buffer[] {
  return events.map(({ data }) => Buffer.from(data));
}

function isPlain(bytes: Buffer): boolean {
  return !bytes.includes(carriageReturn);
}

/** What may still become a whole event; none of its lines is whole that tells otherwise. */
function isPlainRest(rest: Buffer): boolean {
  return rest.length < minZeroCopyBytes && isPlain(rest) && feedsIn(rest) <= mostFeeds;
}

/** Counts line feeds, as far as it matters; any number where a blank line is among them. */
function feedsIn(rest: Buffer): number {
  let count = 0;
  let feed = rest.indexOf(lineFeed);
  while (feed !== -1 && count <= mostFeeds) {
    if (rest[feed + 1] === lineFeed) return Infinity;
    count += 1;
    feed = rest.indexOf(lineFeed, feed + 1);
  }
  return count;
}

function hasLineEnd(chunk: Buffer): boolean {
  return chunk.includes(lineFeed) || chunk.includes(carriageReturn);
}

/** Cuts out what it can; the answer is where the first event begins that is not whole, or not plain. */
function cutOut(bytes: Buffer, payloads: Buffer[]): number {
  let start = 0;
  while (start < bytes.length) {
    const end = endOfEvent(bytes, start);
    if (end === -1) return start;
    if (bytes[start] === colon && bytes.indexOf(lineFeed, start) === end) {
      start = end + blankLine.length;
      continue;
    }
    const data = startOfData(bytes, start, end);
    if (data === -1) return start;
    payloads.push(bytes.subarray(data, end));
    start = end + blankLine.length;
  }
  return start;
}

/** Where the blank line begins; -1: there is none yet. Looks for a byte, which is far cheaper than for two. */
function endOfEvent(bytes: Buffer, start: number): number {
  let feed = bytes.indexOf(lineFeed, start);
  while (feed !== -1 && bytes[feed + 1] !== lineFeed) feed = bytes.indexOf(lineFeed, feed + 1);
  return feed;
}

/** Behind `data:` in the last line, where it is the only field but for a line before it; else -1. */
function startOfData(bytes: Buffer, start: number, end: number): number {
  const feed = bytes.indexOf(lineFeed, start);
  const line = feed < end ? feed + 1 : start;
  const isOnly = line === start || bytes.indexOf(lineFeed, line) === end;
  if (!isOnly || !bytesMatchAt(bytes, line, dataField)) return -1;
  if (line !== start && bytesMatchAt(bytes, start, dataName)) return -1;
  const value = line + dataField.length;
  return bytes[value] === space ? value + 1 : value;
}
