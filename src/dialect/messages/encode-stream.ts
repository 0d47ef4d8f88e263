import { serializeSseEvent } from "../../platform/sse/serialize-event.ts";
import type { ResponseEncodingContext, StreamEncoder } from "../codec.ts";
import { fillMissingTokenUsage } from "../estimate-usage.ts";
import type { ResponseServiceTier } from "../service-tier.ts";
import type { NeutralEnd, NeutralEvent } from "../neutral-event.ts";
import { mergeTokenUsage, type TokenUsage } from "../usage.ts";
import { buildMessagesMessageHead, buildMessagesStopReasonMembers } from "./encode-response.ts";
import { serializeMessagesStreamError } from "./error.ts";
import { MessagesContentBlockSequencer } from "./block-queue.ts";
import { encodeMessagesServiceTier, encodeMessagesUsage } from "./usage.ts";

interface WritingState {
  usage: TokenUsage | undefined;
  /** UTF-16 units of all that was said, for an estimate. */
  written: number;
  readonly blocks: MessagesContentBlockSequencer;
}

/**
 * Writes a stream of messages. Blocks come one after the other, whatever the
 * upstream interleaves; the end is one `message_delta` with reason and usage, for
 * the client keeps only the last. An error is told by `fail`: `push` of one
 * writes nothing.
 */
export function createMessagesStreamEncoder(context: ResponseEncodingContext): StreamEncoder {
  const state: WritingState = {
    usage: undefined,
    written: 0,
    blocks: new MessagesContentBlockSequencer(context),
  };
  return {
    push: (event) => push(state, event, context),
    fail: serializeMessagesStreamError,
  };
}

function push(state: WritingState, event: NeutralEvent, context: ResponseEncodingContext): string {
  switch (event.type) {
    case "response-start":
      return serializeStart(context, event.tier);
    case "part-delta":
      if ("text" in event.delta) state.written += event.delta.text.length;
      return state.blocks.push(event);
    case "part-start":
    case "part-end":
      return state.blocks.push(event);
    case "usage":
      state.usage = mergeTokenUsage(state.usage, event.usage);
      return "";
    case "response-end":
      return state.blocks.finish() + serializeEnd(state, event, context);
    case "error":
      return "";
  }
}

/**
 * Input is estimated here, because some upstreams count it last; the end tells the
 * truth. The tier is told here only: the client reads it nowhere else.
 */
function serializeStart(
  context: ResponseEncodingContext,
  tier: ResponseServiceTier | undefined,
): string {
  const usage = fillMissingTokenUsage(undefined, context.estimatedInput, 0);
  const message = {
    ...buildMessagesMessageHead(context),
    content: [],
    ...buildMessagesStopReasonMembers(undefined),
    usage: { ...encodeMessagesUsage(usage), ...encodeMessagesServiceTier(tier) },
  };
  return serializeSseEvent({ type: "message_start", message }, "message_start");
}

function serializeEnd(
  state: WritingState,
  end: NeutralEnd,
  { estimatedInput }: ResponseEncodingContext,
): string {
  const event = {
    type: "message_delta",
    delta: { ...buildMessagesStopReasonMembers(end), container: null },
    usage: encodeMessagesUsage(fillMissingTokenUsage(state.usage, estimatedInput, state.written)),
  };
  return (
    serializeSseEvent(event, "message_delta") +
    serializeSseEvent({ type: "message_stop" }, "message_stop")
  );
}
