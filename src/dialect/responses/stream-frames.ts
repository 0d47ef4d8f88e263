import { serializeSseEvent } from "../../platform/sse/serialize-event.ts";
import type { JsonObject } from "../json.ts";

/** Numbers the events of one stream from 0 without gaps. */
export interface ResponsesStreamSequenceCounter {
  /** Number of the next event. */
  next: number;
}

/** One event of the stream, named and numbered. */
export function serializeResponsesFrame(
  counter: ResponsesStreamSequenceCounter,
  type: string,
  fields: JsonObject,
): string {
  return serializeSseEvent({ type, sequence_number: counter.next++, ...fields }, type);
}

/** The same for an event about the whole response, whose JSON text is known already. */
export function serializeResponsesResponseLifecycleEvent(
  counter: ResponsesStreamSequenceCounter,
  type: string,
  response: string,
): string {
  const number = counter.next++;
  return `event: ${type}\ndata: {"type":"${type}","sequence_number":${number},"response":${response}}\n\n`;
}

/**
 * The text of a delta event before and behind what changes, so that a frame per
 * token is three concatenations and one escape.
 */
export interface ResponsesDeltaFrameTemplate {
  readonly head: string;
  readonly place: string;
  readonly tail: string;
}

/** `fields`: those between the number and the delta; `trailing`: those behind it. */
export function buildResponsesDeltaFrameTemplate(
  type: string,
  fields: JsonObject,
  trailing: JsonObject = {},
): ResponsesDeltaFrameTemplate {
  return {
    head: `event: ${type}\ndata: {"type":"${type}","sequence_number":`,
    place: `,${inner(fields)},"delta":`,
    tail: `${Object.keys(trailing).length === 0 ? "" : `,${inner(trailing)}`}}\n\n`,
  };
}

export function serializeResponsesDeltaFrame(
  counter: ResponsesStreamSequenceCounter,
  frame: ResponsesDeltaFrameTemplate,
  delta: string,
): string {
  return `${frame.head}${counter.next++}${frame.place}${JSON.stringify(delta)}${frame.tail}`;
}

function inner(fields: JsonObject): string {
  return JSON.stringify(fields).slice(1, -1);
}
