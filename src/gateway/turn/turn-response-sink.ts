import { Writable } from "node:stream";
import {
  asArrayOrEmpty,
  asNumber,
  asObject,
  asString,
  type JsonObject,
} from "../../dialect/json.ts";
import { parseJsonObjectOrEmpty } from "../../dialect/parse-object.ts";
import {
  maxAccumulatedTurnBytes,
  type ResponsesStreamEvent,
  type TurnModelCallInput,
  type TurnFailure,
} from "../../domain/durable-turn.ts";
import { assertEventWithinJsonLimits } from "../../dialect/value-limit.ts";
import { MalformedResponseError } from "../../dialect/codec.ts";
import { responsesPartListDescriptors } from "../../dialect/responses/streamed-texts.ts";
import { ByteCollector } from "../../platform/byte-collector.ts";
import { ApiError } from "../../platform/errors.ts";
import { SseEventReader, SseEventTooLargeError } from "../../platform/sse/event-reader.ts";
import type { CallResponseWritable } from "../call/caller-connection.ts";
import type { UpstreamDataMemoryCounter } from "../call/hold-peak.ts";
import { TurnResponseMemoryTracker } from "./answer-memory.ts";

/** Longest answer of one model call: its pieces together, and each event, of which the last repeats them all. */
const maxAnswerMiB = 16;
const maxAnswerBytes = maxAnswerMiB * 1024 * 1024;

const tooLargeError: TurnFailure = {
  code: "upstream_malformed",
  message: `The model's answer is larger than ${maxAnswerMiB} MiB. Ask for a shorter one.`,
};

const turnTooLargeError: TurnFailure = {
  code: "upstream_malformed",
  message: `The items of the turn are larger than ${maxAccumulatedTurnBytes / 1024 / 1024} MiB together, with its earlier model calls. Ask for shorter answers, or in several turns.`,
};

/**
 * Most items of one answer, and parts of one item. They are told, stored and answered one by
 * one, and an upstream of the account's own may begin any number, or number one as it likes.
 */
const maxItems = 1000;

/** Most parts of all items together that have begun. */
const maxParts = 2 * maxItems;

const indexNames = ["output_index", ...responsesPartListDescriptors.map(({ index }) => index)];

const tooManyItemsError: TurnFailure = {
  code: "upstream_malformed",
  message: `The model's answer has more than ${maxItems} items, or an item of more than ${maxItems} parts, or more than ${maxParts} parts. Ask for fewer tool calls at once.`,
};

const partAdded: ReadonlySet<string> = new Set(
  responsesPartListDescriptors.map(({ event }) => `${event}.added`),
);

/**
 * All events but the last, without their pieces, may have so many times the bytes of an answer:
 * each text, each part and each item is repeated whole, and only they carry content without
 * pieces, such as encrypted reasoning.
 */
const maxRepeats = 4;

/** An event of a piece has at most so many bytes around the piece, each byte of which may be escaped. */
const usualEventBytes = 1024;
const maxEscapedBytes = 6;

/** More of an error is not read. */
const maxErrorBytes = 64 * 1024;

/** Counts the memory of an answer while it is received. */
export interface TurnResponseMemory {
  /** Counts the bytes of an event that has not ended. */
  readonly event: UpstreamDataMemoryCounter;
  /** Counts what its turn holds of the answer. */
  readonly answer: UpstreamDataMemoryCounter;
}

const uncountedMemory: TurnResponseMemory = { event: () => undefined, answer: () => undefined };

const terminalTypes: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
]);

/**
 * Stands for the caller of a model call that is made for a turn: hands the events of its
 * answer on, as fast as they are kept, and remembers how it ended.
 */
export class TurnResponseReceiver extends Writable implements CallResponseWritable {
  statusCode = 200;
  /** The event that ends the response; undefined: none came. */
  terminal: ResponsesStreamEvent | undefined;
  /** What the answer failed with; undefined: it did not. */
  error: TurnFailure | undefined;
  /** The answer was too large to be taken to its end; the next may be as large. */
  isTooLarge = false;
  readonly #push: TurnModelCallInput["push"];
  readonly #room: number;
  readonly #maxBytes: number;
  readonly #events: SseEventReader;
  readonly #memory: TurnResponseMemoryTracker;
  /** Bytes of all pieces so far, of text, arguments and reasoning. */
  #pieceBytes = 0;
  /** Bytes of all events without a piece. */
  #wholeBytes = 0;
  /** Bytes of the items that have ended. */
  #itemBytes = 0;
  /** Items that have begun, and that have ended. */
  #itemEvents = 0;
  /** Parts that have begun. */
  #parts = 0;
  /** The body of an answer that is an error. */
  readonly #body = new ByteCollector();

  /**
   * `room`: bytes that the items of the answer may have; `maxBytes`: bytes of its pieces
   * together, and of each event.
   */
  constructor(
    push: TurnModelCallInput["push"],
    room: number,
    memory: TurnResponseMemory = uncountedMemory,
    maxBytes = maxAnswerBytes,
  ) {
    super();
    this.#push = push;
    this.#room = room;
    this.#maxBytes = maxBytes;
    this.#events = new SseEventReader(maxBytes, memory.event);
    this.#memory = new TurnResponseMemoryTracker(memory.answer);
  }

  writeHead(status: number): this {
    this.statusCode = status;
    return this;
  }

  /** The answer ends because others need the memory of what it holds. */
  giveWay(reason: ApiError): void {
    this.error = apiErrorToTurnFailure(reason);
    this.destroy();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    void settle(this.#take(chunk), done);
  }

  override _final(done: (error?: Error) => void): void {
    if (this.statusCode >= 400)
      this.error = errorIn(parseJsonObjectOrEmpty(this.#body.take().toString()));
    void settle(this.#takeEvents(this.#events.finish()), done);
  }

  async #take(chunk: Buffer): Promise<void> {
    if (this.statusCode < 400) return this.#takeEvents(this.#read(chunk));
    if (this.#body.length < maxErrorBytes) this.#body.push(chunk);
  }

  #read(chunk: Buffer): ReturnType<SseEventReader["push"]> {
    return this.#noteFailure(() => this.#events.push(chunk));
  }

  #noteFailure<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      if (error instanceof SseEventTooLargeError) this.#noteTooLarge(tooLargeError);
      if (error instanceof MalformedResponseError) this.#noteTooLarge(unreadableError(error));
      // Its memory may be free by the time that the call is made again.
      if (error instanceof ApiError) this.error = apiErrorToTurnFailure(error);
      throw error;
    }
  }

  #noteTooLarge(error: TurnFailure): void {
    this.isTooLarge = true;
    this.error = error;
  }

  async #takeEvents(events: ReturnType<SseEventReader["push"]>): Promise<void> {
    for (const { data } of events) {
      const event = this.#noteFailure(() => this.#parse(data));
      if (event !== undefined) await this.#takeEvent(event, data.length);
    }
  }

  #parse(data: string): ResponsesStreamEvent | undefined {
    assertEventWithinJsonLimits(data);
    const event = eventOf(data);
    if (event !== undefined && !terminalTypes.has(event.type)) this.#countMemory(event, data);
    return event;
  }

  /** The turn holds what it has received until it ends, so another call would find no more room. */
  #countMemory(event: ResponsesStreamEvent, data: string): void {
    try {
      this.#memory.count(event, data);
    } catch (error) {
      this.isTooLarge = true;
      throw error;
    }
  }

  #takeEvent(event: ResponsesStreamEvent, length: number): Promise<void> | undefined {
    const response = asObject(event["response"]);
    if (event.type === "error") this.error = errorIn(event);
    this.#countBytes(event, length);
    if (this.#hasTooMany(event)) this.#refuse(tooManyItemsError);
    if (!terminalTypes.has(event.type)) return this.#push(event);
    this.terminal = event;
    if (event.type === "response.failed") this.error = errorIn(response ?? {});
    return undefined;
  }

  #countBytes(event: ResponsesStreamEvent, length: number): void {
    const piece = asString(event["delta"]);
    const pieceBytes = Buffer.byteLength(piece ?? "");
    const expected = piece === undefined ? 0 : maxEscapedBytes * pieceBytes + usualEventBytes;
    this.#pieceBytes += pieceBytes;
    if (!terminalTypes.has(event.type)) this.#wholeBytes += Math.max(0, length - expected);
    const maxWholeBytes = maxRepeats * this.#maxBytes;
    if (this.#pieceBytes > this.#maxBytes || this.#wholeBytes > maxWholeBytes)
      this.#refuse(tooLargeError);
    this.#countItemBytes(event, length);
  }

  /** Before callers get the item, because the last event of the turn repeats it. */
  #countItemBytes({ type }: ResponsesStreamEvent, length: number): void {
    if (type === "response.output_item.done") this.#itemBytes += length;
    // The last event repeats the items, or has others in their place.
    const lastBytes = terminalTypes.has(type) ? length : 0;
    const bytes = Math.max(this.#pieceBytes, this.#itemBytes, lastBytes);
    if (bytes > this.#room) this.#refuse(turnTooLargeError);
  }

  #hasTooMany(event: ResponsesStreamEvent): boolean {
    if (event.type.startsWith("response.output_item.")) this.#itemEvents += 1;
    if (partAdded.has(event.type)) this.#parts += 1;
    return (
      this.#parts > maxParts ||
      this.#itemEvents > 2 * maxItems ||
      asArrayOrEmpty(asObject(event["response"])?.["output"]).length > maxItems ||
      indexNames.some((name) => isOutOfBounds(event[name]))
    );
  }

  #refuse(error: TurnFailure): never {
    this.#noteTooLarge(error);
    throw new Error(error.message);
  }
}

/** An event that cannot be parsed; the next may be the same. */
function unreadableError({ message }: MalformedResponseError): TurnFailure {
  return { code: "upstream_malformed", message: `The upstream ${message}.` };
}

/** The failure of a turn whose account may not hold what it needs. */
export function apiErrorToTurnFailure({ code, message }: ApiError): TurnFailure {
  return { code, message };
}

/** An index that is no place among so many items. */
function isOutOfBounds(index: unknown): boolean {
  const place = asNumber(index);
  return place !== undefined && !(Number.isInteger(place) && place >= 0 && place < maxItems);
}

async function settle(work: Promise<void>, done: (error?: Error) => void): Promise<void> {
  try {
    await work;
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  done();
}

/** What an answer tells that is, or has, an `error`. */
function errorIn(answer: JsonObject): TurnFailure {
  const told = asObject(answer["error"]) ?? answer;
  return {
    code: asString(told["code"]) ?? asString(told["type"]) ?? "server_error",
    message: asString(told["message"]) ?? "The model call failed.",
  };
}

/** Undefined: it is the mark behind the last event, or nothing that a client would read. */
function eventOf(data: string): ResponsesStreamEvent | undefined {
  const event = parseJsonObjectOrEmpty(data);
  const type = asString(event["type"]);
  return type === undefined ? undefined : { ...event, type };
}
