import type { SseEvent } from "../../platform/sse/stream-event.ts";
import { MalformedResponseError, type BufferedValueCounter } from "../codec.ts";
import { asNumber, asObject, asString, type JsonObject } from "../json.ts";
import type { ResponseServiceTier } from "../service-tier.ts";
import type { StreamTransformer } from "../step-machine.ts";
import type { NeutralStopReason, NeutralEnd, NeutralEvent } from "../neutral-event.ts";
import { mergeTokenUsage, type TokenUsage } from "../usage.ts";
import { assertEventWithinJsonLimits, JsonValueBudget } from "../value-limit.ts";
import {
  decodeMessagesContentBlockDelta,
  decodeMessagesContentBlockStop,
  decodeMessagesContentBlockStart,
} from "./decode-blocks.ts";
import { decodeMessagesFinishReason } from "./finish-reason.ts";
import type { MessagesStreamingContentBlock } from "./open-block.ts";
import { assembleMessagesContentBlock } from "./raw-block.ts";
import { decodeMessagesUsage } from "./usage.ts";

/** What is known of a stream between two events. */
export interface MessagesDecoderState {
  isStarted: boolean;
  isOver: boolean;
  /** Neutral number of the next part. */
  parts: number;
  readonly open: Map<number, MessagesStreamingContentBlock>;
  readonly closed: MessagesStreamingContentBlock[];
  readonly countKept: BufferedValueCounter | undefined;
  usage: TokenUsage | undefined;
  end: ReportedEnd | undefined;
  hasCalls: boolean;
  tier: ResponseServiceTier | undefined;
}

/** The end as the last `message_delta` reported it. */
type ReportedEnd = Omit<NeutralEnd, "resume">;

/** Reads the stream of a messages upstream. Pings and events newer than this code tell nothing. */
export function createMessagesStreamDecoder(
  countKept?: BufferedValueCounter,
): StreamTransformer<MessagesDecoderState, SseEvent, NeutralEvent> {
  return {
    start: () => createMessagesDecoderState(countKept),
    step: (state, event) => (state.isOver ? [] : decodeMessagesEvent(state, parse(event))),
    finish: () => [],
  };
}

/** A stream, or a whole answer, of which nothing is known. */
export function createMessagesDecoderState(countKept?: BufferedValueCounter): MessagesDecoderState {
  return {
    isStarted: false,
    isOver: false,
    parts: 0,
    open: new Map(),
    closed: [],
    countKept,
    usage: undefined,
    end: undefined,
    hasCalls: false,
    tier: undefined,
  };
}

function parse({ data }: SseEvent): JsonObject {
  if (data.trimEnd() === "[DONE]") return {};
  assertEventWithinJsonLimits(data);
  try {
    const event = asObject(JSON.parse(data));
    if (event !== undefined) return event;
  } catch {
    // Reported below, as what is no object is.
  }
  throw new MalformedResponseError("sent an event that is no JSON object");
}

/** One event, parsed; a whole answer is read through the same steps. */
export function decodeMessagesEvent(
  state: MessagesDecoderState,
  event: JsonObject,
): readonly NeutralEvent[] {
  const type = event["type"];
  if (type === "error" || asObject(event["error"]) !== undefined) return readError(state, event);
  switch (type) {
    case "message_start":
      return readStart(state, event);
    case "content_block_start":
      return afterStart(
        state,
        decodeMessagesContentBlockStart(state, indexOf(event), blockOf(event)),
      );
    case "content_block_delta":
      return decodeMessagesContentBlockDelta(state, indexOf(event), asObject(event["delta"]) ?? {});
    case "content_block_stop":
      return decodeMessagesContentBlockStop(state, indexOf(event));
    case "message_delta":
      return afterStart(state, readDelta(state, event));
    case "message_stop":
      return readStop(state);
    default:
      return [];
  }
}

function indexOf(event: JsonObject): number {
  const index = asNumber(event["index"]);
  if (index === undefined)
    throw new MalformedResponseError("sent a content block without an index");
  return index;
}

function blockOf(event: JsonObject): JsonObject {
  const block = asObject(event["content_block"]);
  if (block === undefined) throw new MalformedResponseError("started a content block that is none");
  return block;
}

/** The beginning goes first, where no `message_start` told it. */
function afterStart(
  state: MessagesDecoderState,
  events: readonly NeutralEvent[],
): readonly NeutralEvent[] {
  if (state.isStarted) return events;
  state.isStarted = true;
  return [{ type: "response-start", tier: state.tier }, ...events];
}

function readStart(state: MessagesDecoderState, event: JsonObject): readonly NeutralEvent[] {
  const usage = asObject(asObject(event["message"])?.["usage"]);
  state.tier = asString(usage?.["service_tier"]);
  return afterStart(state, emit(state, usage));
}

function emit(state: MessagesDecoderState, value: unknown): readonly NeutralEvent[] {
  const usage = decodeMessagesUsage(value);
  if (usage === undefined) return [];
  state.usage = mergeTokenUsage(state.usage, usage);
  return [{ type: "usage", usage: state.usage }];
}

/** The reason waits for `message_stop`: a stream that breaks off before it has not ended. */
function readDelta(state: MessagesDecoderState, event: JsonObject): readonly NeutralEvent[] {
  const delta = asObject(event["delta"]) ?? {};
  const raw = asString(delta["stop_reason"]);
  if (raw !== undefined) {
    state.countKept?.(delta);
    state.end = readEnd(state, delta, raw);
  }
  return emit(state, event["usage"]);
}

function readEnd(state: MessagesDecoderState, delta: JsonObject, raw: string): ReportedEnd {
  const details = asObject(delta["stop_details"]);
  return {
    type: "response-end",
    reason: reasonOf(state, raw),
    raw,
    stopSequence: asString(delta["stop_sequence"]),
    explanation: asString(details?.["explanation"]),
    category: asString(details?.["category"]),
    tier: state.tier,
  };
}

function saidBlocks({ closed }: MessagesDecoderState): readonly JsonObject[] {
  const values = new JsonValueBudget();
  return closed.map((block) => assembleMessagesContentBlock(block, values)).filter(isFilled);
}

/** Empty text would be refused when it comes back. */
function isFilled(block: JsonObject): boolean {
  return block["type"] !== "text" || block["text"] !== "";
}

/** Calls wait for their results, even if the answer only ended or paused. */
function reasonOf({ hasCalls }: MessagesDecoderState, raw: string): NeutralStopReason {
  const reason = decodeMessagesFinishReason(raw);
  return hasCalls && (reason === "end" || reason === "pause") ? "tool-calls" : reason;
}

/**
 * Without a reason the model was cut off, and there is no end to tell. The blocks that resume a
 * paused answer are built here, once: a stream may report its pause again and again.
 */
function readStop(state: MessagesDecoderState): readonly NeutralEvent[] {
  const { end } = state;
  state.isOver = true;
  const resume = end?.reason === "pause" ? saidBlocks(state) : undefined;
  const closed = [...state.open.keys()].flatMap((index) =>
    decodeMessagesContentBlockStop(state, index),
  );
  return end === undefined ? closed : [...closed, { ...end, resume }];
}

function readError(state: MessagesDecoderState, event: JsonObject): readonly NeutralEvent[] {
  state.isOver = true;
  const error = asObject(event["error"]) ?? {};
  return [
    {
      type: "error",
      error: {
        type: asString(error["type"]),
        code: asString(asObject(error["details"])?.["error_code"]),
        message: asString(error["message"]) ?? "",
      },
    },
  ];
}
