import type { StreamEvent } from "../../platform/sse/stream-event.ts";
import { MalformedAnswer } from "../codec.ts";
import { asNumber, asObject, asString, type JsonObject } from "../json.ts";
import type { ServiceTier } from "../service-tier.ts";
import type { StepMachine } from "../step-machine.ts";
import type { StopReason, TurnEnd, TurnEvent } from "../turn-event.ts";
import { mergeUsage, type Usage } from "../usage.ts";
import { blockDelta, blockEnd, blockStart } from "./decode-blocks.ts";
import { decodeFinish } from "./finish-reason.ts";
import type { OpenBlock } from "./open-block.ts";
import { rawBlock } from "./raw-block.ts";
import { decodeUsage } from "./usage.ts";

/** What is known of a stream between two events. */
export interface StreamReading {
  isStarted: boolean;
  isOver: boolean;
  /** Neutral number of the next part. */
  parts: number;
  readonly open: Map<number, OpenBlock>;
  readonly closed: OpenBlock[];
  usage: Usage | undefined;
  end: TurnEnd | undefined;
  hasCalls: boolean;
  tier: ServiceTier | undefined;
}

/** Reads the stream of a messages upstream. Pings and events newer than this code tell nothing. */
export function decodeStream(): StepMachine<StreamReading, StreamEvent, TurnEvent> {
  return {
    start: newReading,
    step: (state, event) => (state.isOver ? [] : readEvent(state, parse(event))),
    finish: () => [],
  };
}

/** A stream, or a whole answer, of which nothing is known. */
export function newReading(): StreamReading {
  return {
    isStarted: false,
    isOver: false,
    parts: 0,
    open: new Map(),
    closed: [],
    usage: undefined,
    end: undefined,
    hasCalls: false,
    tier: undefined,
  };
}

function parse({ data }: StreamEvent): JsonObject {
  if (data.trimEnd() === "[DONE]") return {};
  try {
    const event = asObject(JSON.parse(data));
    if (event !== undefined) return event;
  } catch {
    // Reported below, as what is no object is.
  }
  throw new MalformedAnswer("sent an event that is no JSON object");
}

/** One event, parsed; a whole answer is read through the same steps. */
export function readEvent(state: StreamReading, event: JsonObject): readonly TurnEvent[] {
  const type = event["type"];
  if (type === "error" || asObject(event["error"]) !== undefined) return readError(state, event);
  switch (type) {
    case "message_start":
      return readStart(state, event);
    case "content_block_start":
      return afterStart(state, blockStart(state, indexOf(event), blockOf(event)));
    case "content_block_delta":
      return blockDelta(state, indexOf(event), asObject(event["delta"]) ?? {});
    case "content_block_stop":
      return blockEnd(state, indexOf(event));
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
  if (index === undefined) throw new MalformedAnswer("sent a content block without an index");
  return index;
}

function blockOf(event: JsonObject): JsonObject {
  const block = asObject(event["content_block"]);
  if (block === undefined) throw new MalformedAnswer("started a content block that is none");
  return block;
}

/** The beginning goes first, where no `message_start` told it. */
function afterStart(state: StreamReading, events: readonly TurnEvent[]): readonly TurnEvent[] {
  if (state.isStarted) return events;
  state.isStarted = true;
  return [{ type: "turn-start", tier: state.tier }, ...events];
}

function readStart(state: StreamReading, event: JsonObject): readonly TurnEvent[] {
  const usage = asObject(asObject(event["message"])?.["usage"]);
  state.tier = asString(usage?.["service_tier"]);
  return afterStart(state, tell(state, usage));
}

function tell(state: StreamReading, value: unknown): readonly TurnEvent[] {
  const usage = decodeUsage(value);
  if (usage === undefined) return [];
  state.usage = mergeUsage(state.usage, usage);
  return [{ type: "usage", usage: state.usage }];
}

/** The reason waits for `message_stop`: a stream that breaks off before it has not ended. */
function readDelta(state: StreamReading, event: JsonObject): readonly TurnEvent[] {
  const delta = asObject(event["delta"]) ?? {};
  const raw = asString(delta["stop_reason"]);
  if (raw !== undefined) state.end = readEnd(state, delta, raw);
  return tell(state, event["usage"]);
}

function readEnd(state: StreamReading, delta: JsonObject, raw: string): TurnEnd {
  const details = asObject(delta["stop_details"]);
  const reason = reasonOf(state, raw);
  return {
    type: "turn-end",
    reason,
    raw,
    stopSequence: asString(delta["stop_sequence"]),
    explanation: asString(details?.["explanation"]),
    category: asString(details?.["category"]),
    tier: state.tier,
    resume: reason === "pause" ? state.closed.map(rawBlock).filter(isFilled) : undefined,
  };
}

/** Empty text would be refused when it comes back. */
function isFilled(block: JsonObject): boolean {
  return block["type"] !== "text" || block["text"] !== "";
}

/** Calls wait for their results, even if the answer only ended or paused. */
function reasonOf({ hasCalls }: StreamReading, raw: string): StopReason {
  const reason = decodeFinish(raw);
  return hasCalls && (reason === "end" || reason === "pause") ? "tool-calls" : reason;
}

/** Without a reason the model was cut off, and there is no end to tell. */
function readStop(state: StreamReading): readonly TurnEvent[] {
  state.isOver = true;
  const closed = [...state.open.keys()].flatMap((index) => blockEnd(state, index));
  return state.end === undefined ? closed : [...closed, state.end];
}

function readError(state: StreamReading, event: JsonObject): readonly TurnEvent[] {
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
