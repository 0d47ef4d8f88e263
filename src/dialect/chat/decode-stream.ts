import type { SseEvent } from "../../platform/sse/stream-event.ts";
import { MalformedResponseError, type ResponseDecodingContext } from "../codec.ts";
import { asArrayOrEmpty, asObject, type JsonObject } from "../json.ts";
import { parseResponseServiceTier } from "../service-tier.ts";
import type { StreamTransformer } from "../step-machine.ts";
import type { NeutralError, NeutralEvent } from "../neutral-event.ts";
import { assertEventWithinJsonLimits } from "../value-limit.ts";
import { toChatNeutralErrorFromEvent, decodeChatUpstreamError } from "./read-error.ts";
import {
  appendChatPartEndEvents,
  type ChatDecoderState,
  createChatDecoderState,
  appendChatDeltaEvents,
} from "./stream-parts.ts";
import { decodeChatFinishReasonError, decodeChatFinishReason } from "./finish-reason.ts";
import { decodeChatUsage } from "./usage.ts";

/**
 * Reads an upstream's stream. The end is told when nothing more can follow:
 * usage comes behind the last choice, if it comes. A stream without a
 * `finish_reason` and without `[DONE]` broke off.
 */
export function createChatStreamDecoder(
  context: ResponseDecodingContext,
): StreamTransformer<ChatDecoderState, SseEvent, NeutralEvent> {
  return {
    start: () => createChatDecoderState(context.countKept),
    step: (state, event) => (state.hasEnded ? [] : take(state, event, context)),
    finish: (state) => (state.hasEnded || state.finish === undefined ? [] : end(state, context)),
  };
}

function take(
  state: ChatDecoderState,
  event: SseEvent,
  context: ResponseDecodingContext,
): readonly NeutralEvent[] {
  const data = event.data.trim();
  if (data === "") return [];
  if (data === "[DONE]") return done(state, context);
  const chunk = parse(data);
  const choice = chunk === undefined ? undefined : choiceOf(chunk);
  const error = errorIn(chunk, event) ?? decodeChatFinishReasonError(choice?.["finish_reason"]);
  if (error !== undefined) {
    state.hasEnded = true;
    return [{ type: "error", error }];
  }
  if (chunk !== undefined) return takenChunk(state, chunk, choice, context);
  // What follows a finished choice may be anything; before, it is a failure.
  if (state.finish !== undefined) return [];
  throw new MalformedResponseError("sent an event that is no chunk");
}

function errorIn(chunk: JsonObject | undefined, event: SseEvent): NeutralError | undefined {
  if (event.name !== "error")
    return chunk === undefined ? undefined : decodeChatUpstreamError(chunk);
  return toChatNeutralErrorFromEvent(chunk ?? { message: event.data });
}

/** The answer has one choice; further ones were not asked for. */
function choiceOf(chunk: JsonObject): JsonObject | undefined {
  for (const value of asArrayOrEmpty(chunk["choices"])) {
    const choice = asObject(value);
    if (choice !== undefined && (choice["index"] ?? 0) === 0) return choice;
  }
  return undefined;
}

function parse(data: string): JsonObject | undefined {
  assertEventWithinJsonLimits(data);
  try {
    return asObject(JSON.parse(data));
  } catch {
    return undefined;
  }
}

function takenChunk(
  state: ChatDecoderState,
  chunk: JsonObject,
  choice: JsonObject | undefined,
  context: ResponseDecodingContext,
): readonly NeutralEvent[] {
  state.tier = parseResponseServiceTier(chunk["service_tier"]) ?? state.tier;
  const events: NeutralEvent[] = begin(state, chunk);
  if (choice !== undefined) takeChoice(state, choice, events);
  const usage = decodeChatUsage(chunk["usage"] ?? asObject(chunk["x_groq"])?.["usage"]);
  if (usage !== undefined) events.push({ type: "usage", usage });
  // The usage of a whole stream has a chunk of its own, and it is the last.
  const isLast = usage !== undefined && state.finish !== undefined && choice === undefined;
  return isLast ? [...events, ...end(state, context)] : events;
}

function begin(state: ChatDecoderState, chunk: JsonObject): NeutralEvent[] {
  if (state.hasStarted || !Array.isArray(chunk["choices"])) return [];
  state.hasStarted = true;
  return [{ type: "response-start", tier: state.tier }];
}

function takeChoice(state: ChatDecoderState, choice: JsonObject, events: NeutralEvent[]): void {
  const delta = asObject(choice["delta"]) ?? asObject(choice["message"]);
  if (delta !== undefined)
    appendChatDeltaEvents(state, delta, asObject(choice["logprobs"]), events);
  const finish = choice["finish_reason"];
  if (typeof finish !== "string" || finish === "") return;
  state.finish = finish;
  state.stopReason = choice["stop_reason"];
}

/** An end that was said, although no choice gave its reason. */
function done(state: ChatDecoderState, context: ResponseDecodingContext): readonly NeutralEvent[] {
  if (!state.hasStarted) throw new MalformedResponseError("ended its stream before any chunk");
  return end(state, context);
}

function end(state: ChatDecoderState, { stop }: ResponseDecodingContext): readonly NeutralEvent[] {
  state.hasEnded = true;
  const { stopReason, hasRefusal } = state;
  const events: NeutralEvent[] = [];
  appendChatPartEndEvents(state, events);
  const ending = { hasCalls: state.hasCall, hasRefusal, stopReason, stop };
  return [...events, { ...decodeChatFinishReason(state.finish, ending), tier: state.tier }];
}
