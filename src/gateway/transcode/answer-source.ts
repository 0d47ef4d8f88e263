import { isUtf8 } from "node:buffer";
import { MalformedAnswer, type StreamDecoder } from "../../dialect/codec.ts";
import type { JsonObject } from "../../dialect/json.ts";
import { parseExactObject } from "../../dialect/parse-exact.ts";
import { stepEach } from "../../dialect/step-machine.ts";
import type { TurnEvent } from "../../dialect/turn-event.ts";
import { joinedChunks } from "../../platform/joined-chunks.ts";
import { EventReader } from "../../platform/sse/event-reader.ts";
import type { StreamEvent } from "../../platform/sse/read-events.ts";
import type { CallFailure } from "../call/call-failure.ts";

/**
 * Reads an upstream's body into neutral events. Throws `MalformedAnswer`,
 * `EventTooLarge` or `EventNotText`.
 */
export interface AnswerSource {
  push(chunk: Buffer): readonly TurnEvent[];
  /** The body has ended. */
  finish(): readonly TurnEvent[];
}

/** An upstream's error in the place of an answer. */
export class AnsweredWithError extends Error {
  override readonly name = "AnsweredWithError";
  readonly failure: CallFailure;

  constructor(failure: CallFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** The largest frame of a stream (dialects reference, case 66). */
const largestEventBytes = 16 * 1024 * 1024;

/** The largest answer that is read whole. */
const largestBodyBytes = 64 * 1024 * 1024;

/** A stream of events. */
export function streamSource(decoder: StreamDecoder): AnswerSource {
  const reader = new EventReader(largestEventBytes);
  const push = (event: StreamEvent): readonly TurnEvent[] => decoder.push(event);
  return {
    push: (chunk) => stepEach(reader.push(chunk), push),
    finish: () => [...stepEach(reader.finish(), push), ...decoder.finish()],
  };
}

/** One JSON object; `decode` gives its events. */
export function bodySource(decode: (body: JsonObject) => readonly TurnEvent[]): AnswerSource {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    push(chunk) {
      length += chunk.length;
      if (length > largestBodyBytes) throw new MalformedAnswer("sent more than can be read");
      chunks.push(chunk);
      return [];
    },
    finish: () => decode(parse(joinedChunks(chunks))),
  };
}

function parse(bytes: Buffer): JsonObject {
  if (!isUtf8(bytes)) throw new MalformedAnswer("sent an answer that is not UTF-8");
  const body = parseObject(bytes.toString());
  if (body === undefined) throw new MalformedAnswer("did not answer with a JSON object");
  return body;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    return parseExactObject(text);
  } catch {
    throw new MalformedAnswer("sent JSON that is broken or cut off");
  }
}
