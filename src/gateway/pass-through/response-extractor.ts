import { asObject, asString, type JsonObject } from "../../dialect/json.ts";
import type { UpstreamDataMemoryCounter } from "../call/hold-peak.ts";
import { estimateParsedBodyMemory } from "../call/parse-call-body.ts";
import { ByteCollector } from "../../platform/byte-collector.ts";
import { SseEventReader } from "../../platform/sse/event-reader.ts";
import type { SseEvent } from "../../platform/sse/stream-event.ts";

/** Finds the response object in a body as it comes. */
export interface ResponseObjectExtractor {
  /** Nothing of the body is passed on before it is found; else all but the end is. */
  readonly isFullyBuffered: boolean;
  /** The response that these bytes complete; undefined: none yet. */
  push(chunk: Buffer): JsonObject | undefined;
  /** The response of a body that has ended; undefined: it holds none that can be kept. */
  finish(): JsonObject | undefined;
}

/** The largest event, and the largest body, that is kept; larger ones are only passed on. */
const maxStoredBytes = 16 * 1024 * 1024;

/** Finds it in the last event of a stream. */
export class EventStreamResponseObjectExtractor implements ResponseObjectExtractor {
  readonly isFullyBuffered = false;
  #reader: SseEventReader | undefined;
  readonly #hold: UpstreamDataMemoryCounter;

  /** `hold` throws if the account of the call may not hold so much. */
  constructor(hold: UpstreamDataMemoryCounter) {
    this.#reader = new SseEventReader(maxStoredBytes, hold);
    this.#hold = hold;
  }

  push(chunk: Buffer): JsonObject | undefined {
    return this.#find((reader) => reader.push(chunk));
  }

  finish(): JsonObject | undefined {
    return this.#find((reader) => reader.finish());
  }

  /** Returns undefined from the first event that is too large, not text, or more than may be held. */
  #find(read: (reader: SseEventReader) => readonly SseEvent[]): JsonObject | undefined {
    if (this.#reader === undefined) return undefined;
    try {
      return read(this.#reader)
        .map(({ data }) => endedResponse(data, this.#hold))
        .find((response) => response !== undefined);
    } catch {
      this.#reader = undefined;
      return undefined;
    }
  }
}

/** A word of the events that end a response; texts may hold it too. */
const endingWord = /"response\.(?:completed|incomplete)"/;

function endedResponse(data: string, hold: UpstreamDataMemoryCounter): JsonObject | undefined {
  if (!endingWord.test(data)) return undefined;
  const bytes = Buffer.from(data);
  const values = estimateParsedBodyMemory(bytes);
  if (values === undefined) return undefined;
  hold(bytes.length + values);
  const event = asObject(JSON.parse(data));
  const isEnd = endingWord.test(`"${asString(event?.["type"]) ?? ""}"`);
  return isEnd ? asObject(event?.["response"]) : undefined;
}

/** Finds it in a body that is held until it is whole. */
export class BodyResponseObjectExtractor implements ResponseObjectExtractor {
  isFullyBuffered = true;
  readonly #collected = new ByteCollector();
  readonly #hold: UpstreamDataMemoryCounter;

  /** `hold` throws if the account of the call may not hold so much. */
  constructor(hold: UpstreamDataMemoryCounter) {
    this.#hold = hold;
  }

  push(chunk: Buffer): undefined {
    const length = this.#collected.length + chunk.length;
    this.isFullyBuffered &&= length <= maxStoredBytes && this.#canHold(length);
    if (this.isFullyBuffered) this.#collected.push(chunk);
    else this.#collected.take();
  }

  #canHold(bytes: number): boolean {
    try {
      this.#hold(bytes);
      return true;
    } catch {
      return false;
    }
  }

  finish(): JsonObject | undefined {
    try {
      const bytes = this.#collected.take();
      const values = estimateParsedBodyMemory(bytes);
      if (values === undefined || !this.#canHold(bytes.length + values)) return undefined;
      const response = asObject(JSON.parse(bytes.toString()));
      return response !== undefined && hasEnded(response) ? response : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Compatible servers leave the status out. */
function hasEnded({ status = "completed", output }: JsonObject): boolean {
  return (status === "completed" || status === "incomplete") && Array.isArray(output);
}
