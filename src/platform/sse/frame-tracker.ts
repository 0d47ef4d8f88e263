import { findSseFieldValueStart } from "./field-value.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const closeBracket = 0x5d;
const closeBrace = 0x7d;

/** Bytes of a line that a reader gets when the line came in pieces. */
const headLength = 96;

/** What a line says about its stream: it is the dialect's last event, an error, or neither. */
export type StreamLineClassification = "none" | "end" | "error";

/** Judges a line by its first bytes; a long line may be given without its end. */
export type StreamLineClassifier = (
  bytes: Buffer,
  start: number,
  end: number,
) => StreamLineClassification;

/**
 * Follows an event stream that is passed on as it is: where its frames end, and
 * whether the event that ends it, or an error, has come. Only the head of each
 * line is looked at and nothing is kept. Lines end in LF or CRLF, or in CR
 * throughout; chunks may be cut at any byte.
 */
export class SseFrameTracker {
  readonly #readLine: StreamLineClassifier;
  #terminator = 0;
  #lastByte = 0;
  /** First bytes of a line whose end has not come yet, as Latin-1. */
  #head = "";
  #hasData = false;
  #signal: StreamLineClassification = "none";
  #events = 0;
  #ended = false;
  #failed = false;
  #beganWithError = false;

  constructor(readLine: StreamLineClassifier) {
    this.#readLine = readLine;
  }

  /** Complete frames with data so far. */
  get events(): number {
    return this.#events;
  }

  /** The dialect's last event has come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** An error event has come. */
  get failed(): boolean {
    return this.#failed;
  }

  /** The first event was an error. */
  get beganWithError(): boolean {
    return this.#beganWithError;
  }

  /** Takes the next bytes; the answer is how many of them belong to complete frames. */
  push(chunk: Buffer): number {
    const terminator = this.#terminatorOf(chunk);
    let complete = 0;
    let start = 0;
    for (let end = chunk.indexOf(terminator); end !== -1; end = chunk.indexOf(terminator, start)) {
      if (this.#endLine(chunk, start, end)) complete = end + 1;
      start = end + 1;
    }
    if (start < chunk.length) this.#keepHead(chunk, start, chunk.length);
    this.#lastByte = chunk[chunk.length - 1] ?? this.#lastByte;
    return complete;
  }

  /**
   * The stream is over: a last frame without its blank line counts if its line
   * looks whole. True when there was such a frame.
   */
  finish(): boolean {
    const isWhole = this.#lastByte === closeBrace || this.#lastByte === closeBracket;
    if (this.#head !== "" && !isWhole) return false;
    if (this.#head !== "") this.#endSplitLine(Buffer.alloc(0), 0);
    const wasOpen = this.#hasData;
    this.#endFrame();
    return wasOpen;
  }

  /** Decided by the first line end: CR alone, else LF with or without a CR before it. */
  #terminatorOf(chunk: Buffer): number {
    if (this.#terminator !== 0) return this.#terminator;
    const feed = chunk.indexOf(lineFeed);
    const carriage = chunk.indexOf(carriageReturn);
    const isAlone = carriage !== -1 && carriage + 1 < (feed === -1 ? chunk.length : feed);
    if (isAlone) this.#terminator = carriageReturn;
    else if (feed !== -1) this.#terminator = lineFeed;
    return isAlone ? carriageReturn : lineFeed;
  }

  /** True when the line was the blank one that closes a frame. */
  #endLine(chunk: Buffer, start: number, end: number): boolean {
    if (this.#head !== "") return this.#endSplitLine(chunk, end);
    const last = end > start && chunk[end - 1] === carriageReturn ? end - 1 : end;
    if (last === start) this.#endFrame();
    else this.#take(chunk, start, last);
    return last === start;
  }

  #endSplitLine(chunk: Buffer, end: number): boolean {
    this.#keepHead(chunk, 0, end);
    const line = Buffer.from(this.#head, "latin1");
    this.#head = "";
    return this.#endLine(line, 0, line.length);
  }

  #take(bytes: Buffer, start: number, end: number): void {
    const signal = this.#readLine(bytes, start, end);
    if (signal !== "none") this.#signal = signal;
    this.#hasData ||= findSseFieldValueStart(bytes, start, end, "data") !== -1;
  }

  /** A frame without data is no event. */
  #endFrame(): void {
    if (this.#hasData) this.#countEvent();
    this.#hasData = false;
    this.#signal = "none";
  }

  #countEvent(): void {
    const isError = this.#signal === "error";
    this.#beganWithError ||= isError && this.#events === 0;
    this.#failed ||= isError;
    this.#ended ||= this.#signal === "end";
    this.#events += 1;
  }

  #keepHead(chunk: Buffer, start: number, end: number): void {
    const room = headLength - this.#head.length;
    if (room > 0) this.#head += chunk.toString("latin1", start, Math.min(end, start + room));
  }
}
