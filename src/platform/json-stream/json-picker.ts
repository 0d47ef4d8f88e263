import { childProjection, type JsonItemHandler, type JsonProjection } from "./json-shape.ts";
import { JsonStreamError } from "./json-stream-error.ts";
import { JsonStringMeter } from "./string-meter.ts";
import { JsonValueScanner } from "./value-scanner.ts";

/** An object or array that is being built from the parts that are wanted. */
interface Frame {
  readonly shape: JsonProjection;
  readonly isArray: boolean;
  readonly into: Record<string, unknown> | unknown[];
  key: string;
}

/** What a value costs in memory beside its text, about. */
const valueBytes = 64;

const [quote, comma, colon, openBrace, closeBrace, openBracket, closeBracket] = [
  0x22, 0x2c, 0x3a, 0x7b, 0x7d, 0x5b, 0x5d,
];

/** What the next byte that is no white space may be. */
type Expected = "value" | "first value" | "key" | "first key" | "colon" | "separator" | "end";

/**
 * Builds the wanted parts of a JSON document from its bytes as they arrive, and
 * holds nothing else, however long the document is. Objects have no prototype, so that no key means anything. What is not
 * picked is only followed, not checked; what is picked is parsed as JSON.
 * The memory of a chunk may be used again for the next one.
 * `maxPickedBytes` bounds all that is built, and each item that is handed over. Every value
 * that is built counts for 64 bytes more than its text: an empty object is two bytes of it.
 * Throws a `JsonStreamError`.
 */
export class JsonPicker {
  readonly #shape: JsonProjection;
  readonly #maxPickedBytes: number;
  readonly #frames: Frame[] = [];
  readonly #meter = new JsonStringMeter();
  #expected: Expected = "value";
  #scanner: JsonValueScanner | undefined;
  /** The scanner follows a text whose length is wanted. */
  #isMeasuring = false;
  #picked = 0;
  /** Bytes of the item that is being read, to be handed over. */
  #ofItem = 0;
  /** Bytes of the chunks before this one. */
  #before = 0;
  #result: unknown;

  constructor(shape: JsonProjection, maxPickedBytes: number) {
    this.#shape = shape;
    this.#maxPickedBytes = maxPickedBytes;
  }

  /** Bytes that the parts which are built so far count for, see `maxPickedBytes`. */
  get pickedBytes(): number {
    return this.#picked;
  }

  /** Code units of the texts that were measured. */
  get measuredLength(): number {
    return this.#meter.codeUnits;
  }

  push(chunk: Buffer): void {
    let position = 0;
    while (position < chunk.length) {
      if (this.#scanner !== undefined) {
        position = this.#scan(this.#scanner, chunk, position);
        continue;
      }
      const byte = chunk[position] ?? 0;
      position = isSpace(byte) ? position + 1 : this.#token(byte, position);
    }
    this.#before += chunk.length;
  }

  /** The parts that were wanted. Throws when the document is not whole. */
  end(): unknown {
    if (this.#scanner?.isNumberOrWord === true && this.#frames.length === 0) {
      this.#complete(this.#scanner, this.#before);
    }
    if (this.#expected !== "end") throw new JsonStreamError("broken off");
    return this.#result;
  }

  /** Position after the bytes that the scanner has taken. */
  #scan(scanner: JsonValueScanner, chunk: Buffer, start: number): number {
    const before = scanner.innerValues;
    const end = scanner.scan(chunk, start);
    if (this.#isMeasuring) this.#meter.push(chunk, start, end);
    else if (this.#handOver() !== undefined) this.#countOfItem(end - start);
    else if (scanner.keeps) {
      this.#count(end - start + (scanner.innerValues - before) * valueBytes);
    }
    if (scanner.isComplete) this.#complete(scanner, this.#before + end);
    return end;
  }

  /** Who takes what is being read; undefined: it is built. */
  #handOver(): JsonItemHandler | undefined {
    const shape = this.#frames.at(-1)?.shape;
    return typeof shape === "object" && "items" in shape ? shape.items : undefined;
  }

  #complete(scanner: JsonValueScanner, end: number): void {
    this.#scanner = undefined;
    const handOver = this.#handOver();
    if (handOver !== undefined) {
      const bytes = scanner.bytes();
      this.#ofItem = 0;
      this.#expected = "separator";
      handOver(bytes, end - bytes.length);
      return;
    }
    if (this.#expected === "key" || this.#expected === "first key") {
      this.#top().key = String(scanner.value());
      if (this.#isMeasured()) this.#picked -= scanner.bytes().length;
      this.#expected = "colon";
      return;
    }
    // An array has a place for what is passed over too.
    const hasPlace = this.#frames.at(-1)?.isArray === true && !this.#isMeasured();
    if (scanner.keeps || hasPlace) this.#count(valueBytes);
    this.#put(scanner.keeps ? scanner.value() : undefined);
  }

  #token(byte: number, position: number): number {
    switch (this.#expected) {
      case "value":
        return this.#beginValue(byte, position);
      case "first value":
        return byte === closeBracket ? this.#close(position) : this.#beginValue(byte, position);
      case "first key":
        return byte === closeBrace ? this.#close(position) : this.#beginKey(byte, position);
      case "key":
        return this.#beginKey(byte, position);
      case "colon":
        if (byte !== colon) throw new JsonStreamError("not JSON");
        this.#expected = "value";
        return position + 1;
      case "separator":
        return this.#afterValue(byte, position);
      case "end":
        throw new JsonStreamError("not JSON");
    }
  }

  #beginKey(byte: number, position: number): number {
    if (byte !== quote) throw new JsonStreamError("not JSON");
    this.#scanner = new JsonValueScanner(true);
    this.#isMeasuring = false;
    return position;
  }

  #beginValue(byte: number, position: number): number {
    const shape = this.#nextShape();
    if (shape !== undefined && shape !== "whole") {
      if (byte === openBrace && !("items" in shape)) return this.#open(shape, false, position);
      if (byte === openBracket && !("members" in shape)) return this.#open(shape, true, position);
    }
    // A container in place of one that was meant otherwise is passed over; a scalar is kept.
    const isContainer = byte === openBrace || byte === openBracket;
    const measures = isMeasuring(shape);
    this.#isMeasuring = measures && byte === quote;
    this.#scanner = new JsonValueScanner(
      shape === "whole" || (shape !== undefined && !isContainer && !measures),
    );
    return position;
  }

  /** Returns the shape of the value that begins, or undefined if it is not wanted. */
  #nextShape(): JsonProjection | undefined {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return this.#shape;
    return frame.isArray && this.#isMeasured()
      ? frame.shape
      : childProjection(frame.shape, frame.key);
  }

  /** Nothing of the innermost object or array is kept, only the length of its texts. */
  #isMeasured(): boolean {
    return isMeasuring(this.#frames.at(-1)?.shape);
  }

  #open(shape: JsonProjection, isArray: boolean, position: number): number {
    const into = isArray ? [] : (Object.create(null) as Record<string, unknown>);
    this.#frames.push({ shape, isArray, into, key: "" });
    this.#expected = isArray ? "first value" : "first key";
    // What is built counts although nothing of it may be kept.
    this.#count(valueBytes);
    return position + 1;
  }

  #afterValue(byte: number, position: number): number {
    const { isArray } = this.#top();
    if (byte === comma) {
      this.#expected = isArray ? "value" : "key";
      return position + 1;
    }
    if (byte !== (isArray ? closeBracket : closeBrace)) throw new JsonStreamError("not JSON");
    return this.#close(position);
  }

  #close(position: number): number {
    const { into } = this.#top();
    const isMeasured = this.#isMeasured();
    if (isMeasured) this.#picked -= valueBytes;
    this.#frames.pop();
    this.#put(isMeasured ? undefined : into);
    return position + 1;
  }

  #put(value: unknown): void {
    const frame = this.#frames.at(-1);
    this.#expected = frame === undefined ? "end" : "separator";
    if (frame === undefined) this.#result = value;
    else if (this.#isMeasured()) return;
    else if (Array.isArray(frame.into)) frame.into.push(value);
    else if (value !== undefined) frame.into[frame.key] = value;
  }

  #count(bytes: number): void {
    this.#picked += bytes;
    if (this.#picked > this.#maxPickedBytes) throw new JsonStreamError("too large");
  }

  #countOfItem(bytes: number): void {
    this.#ofItem += bytes;
    if (this.#ofItem > this.#maxPickedBytes) throw new JsonStreamError("too large");
  }

  #top(): Frame {
    const frame = this.#frames.at(-1);
    if (frame === undefined) throw new JsonStreamError("not JSON");
    return frame;
  }
}

function isMeasuring(shape: JsonProjection | undefined): boolean {
  return typeof shape === "object" && "measures" in shape;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
