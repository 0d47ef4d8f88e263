import { isUtf8 } from "node:buffer";
import { EventReader } from "../../platform/sse/event-reader.ts";
import { standsAt } from "./stands-at.ts";

/** The largest event of a stream that we write ourselves, or pass on. */
const largestEventBytes = 16 * 1024 * 1024;

/** An event that is larger is read piece by piece. */
const longRestBytes = 256 * 1024;

const lineFeed = 0x0a;
const space = 0x20;
const colon = 0x3a;
const blankLine = Buffer.from("\n\n");
const dataField = Buffer.from("data:");
const dataName = Buffer.from("data");
const carriageReturn = 0x0d;

/**
 * Reads the data of a stream's events as bytes: one line of them each, as all streams have
 * that we write and nearly all that we pass on, is cut out of its chunk. Whatever looks
 * otherwise is left to the reader of all event streams, for the rest of the stream.
 */
export class EventPayloads {
  #reader: EventReader | undefined;
  #rest: Buffer = Buffer.alloc(0);

  /** The data that these bytes complete. Throws `EventTooLarge` or `EventNotText`. */
  push(chunk: Buffer): readonly Buffer[] {
    if (this.#reader !== undefined) return payloadsOf(this.#reader.push(chunk));
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const payloads: Buffer[] = [];
    const end = isPlain(bytes) ? cutOut(bytes, payloads) : 0;
    const isText = isUtf8(bytes.subarray(0, end));
    this.#rest = isText ? bytes.subarray(end) : bytes;
    if (!isText) return this.#readOn();
    if (end < bytes.length && !isPlainRest(this.#rest)) payloads.push(...this.#readOn());
    return payloads;
  }

  /** The data of an event that the end of the stream left open. */
  finish(): readonly Buffer[] {
    const read = this.#reader === undefined ? this.#readOn() : [];
    return [...read, ...payloadsOf(this.#reader?.finish() ?? [])];
  }

  #readOn(): readonly Buffer[] {
    this.#reader = new EventReader(largestEventBytes);
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return payloadsOf(this.#reader.push(rest));
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
  return rest.length < longRestBytes && isPlain(rest) && rest.indexOf(blankLine) === -1;
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
  if (!isOnly || !standsAt(bytes, line, dataField)) return -1;
  if (line !== start && standsAt(bytes, start, dataName)) return -1;
  const value = line + dataField.length;
  return bytes[value] === space ? value + 1 : value;
}
