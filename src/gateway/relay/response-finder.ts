import { asObject, asString, type JsonObject } from "../../dialect/json.ts";
import { joinedChunks } from "../../platform/joined-chunks.ts";
import { EventReader } from "../../platform/sse/event-reader.ts";
import type { StreamEvent } from "../../platform/sse/stream-event.ts";

/** Finds the response object in a body as it comes. */
export interface ResponseFinder {
  /** Nothing of the body is passed on before it is found; else all but the end is. */
  readonly holdsAll: boolean;
  /** The response that these bytes complete; undefined: none yet. */
  push(chunk: Buffer): JsonObject | undefined;
  /** The response of a body that has ended; undefined: it holds none that can be kept. */
  finish(): JsonObject | undefined;
}

/** The largest event, and the largest body, that is kept; larger ones are only passed on. */
const largestKeptBytes = 16 * 1024 * 1024;

/** Finds it in the last event of a stream. */
export class ResponseInEvents implements ResponseFinder {
  readonly holdsAll = false;
  readonly #reader = new EventReader(largestKeptBytes);
  #isReadable = true;

  push(chunk: Buffer): JsonObject | undefined {
    return this.#find(() => this.#reader.push(chunk));
  }

  finish(): JsonObject | undefined {
    return this.#find(() => this.#reader.finish());
  }

  /** What is too large, or no text, reaches the caller, and nobody can go on from it. */
  #find(read: () => readonly StreamEvent[]): JsonObject | undefined {
    if (!this.#isReadable) return undefined;
    try {
      return read()
        .map(({ data }) => endedResponse(data))
        .find((response) => response !== undefined);
    } catch {
      this.#isReadable = false;
      return undefined;
    }
  }
}

/** A word of the events that end a response; texts may hold it too. */
const endingWord = /"response\.(?:completed|incomplete)"/;

function endedResponse(data: string): JsonObject | undefined {
  if (!endingWord.test(data)) return undefined;
  const event = asObject(JSON.parse(data));
  const isEnd = endingWord.test(`"${asString(event?.["type"]) ?? ""}"`);
  return isEnd ? asObject(event?.["response"]) : undefined;
}

/** Finds it in a body that is held until it is whole. */
export class ResponseInBody implements ResponseFinder {
  holdsAll = true;
  #chunks: Buffer[] = [];
  #length = 0;

  push(chunk: Buffer): undefined {
    this.#length += chunk.length;
    this.holdsAll = this.#length <= largestKeptBytes;
    if (this.holdsAll) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  finish(): JsonObject | undefined {
    try {
      const response = asObject(JSON.parse(joinedChunks(this.#chunks).toString()));
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
