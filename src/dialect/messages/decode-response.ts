import { MalformedResponseError } from "../codec.ts";
import { asObject, type JsonObject } from "../json.ts";
import { flatMapStreamInputs } from "../step-machine.ts";
import type { NeutralEvent } from "../neutral-event.ts";
import { decodeMessagesEvent, createMessagesDecoderState } from "./decode-stream.ts";

/** Reads a whole answer as the stream that it adds up to; an answer is only in this form. */
export function decodeMessagesResponse(body: JsonObject): readonly NeutralEvent[] {
  const state = createMessagesDecoderState();
  return flatMapStreamInputs(eventsOf(body), (event) => decodeMessagesEvent(state, event));
}

function eventsOf(body: JsonObject): readonly JsonObject[] {
  if (body["type"] === "error" || asObject(body["error"]) !== undefined) {
    return [{ ...body, type: "error" }];
  }
  const { content } = body;
  if (!Array.isArray(content)) throw new MalformedResponseError("sent an answer without content");
  const events: JsonObject[] = [{ type: "message_start", message: body }];
  for (const [index, block] of content.entries()) {
    events.push(
      { type: "content_block_start", index, content_block: block },
      { type: "content_block_stop", index },
    );
  }
  events.push({ type: "message_delta", delta: body }, { type: "message_stop" });
  return events;
}
