import { lookupTable } from "../../platform/lookup-table.ts";
import type { StreamEvent } from "../../platform/sse/stream-event.ts";
import { MalformedAnswer, type StreamDecoder } from "../codec.ts";
import { asArray, asObject, asString, type JsonObject } from "../json.ts";
import { readOpenTier, type ServiceTier } from "../service-tier.ts";
import { type StepMachine, stepsOf } from "../step-machine.ts";
import type { PartDelta, TurnEnd, TurnError, TurnEvent } from "../turn-event.ts";
import { decodeError } from "./decode-answer.ts";
import { decodeFinish, decodeIncomplete } from "./finish-reason.ts";
import { citations } from "./output-parts.ts";
import {
  addItem,
  type ArrivingState,
  closeOpenParts,
  contentOf,
  extend,
  finishContent,
  finishItem,
  nextThought,
  partOfItem,
  placeOf,
  beginContent,
} from "./arriving-items.ts";
import { decodeUsage } from "./usage.ts";

/**
 * Reads an upstream's stream. Items are told apart by their place, because some
 * servers change ids on the way; announcements may be missing; what only the
 * `done` events or the last one tell is told then. Unknown events are passed by.
 */
export function decodeStream(): StreamDecoder {
  return stepsOf(machine);
}

const machine: StepMachine<ArrivingState, StreamEvent, TurnEvent> = {
  start: () => ({
    hasBegun: false,
    hasEnded: false,
    parts: 0,
    items: new Map(),
    hasCalls: false,
    hasRefusal: false,
  }),
  step: (state, event) => {
    if (state.hasEnded || event.data.trim() === "[DONE]") return [];
    const data = readData(event);
    const type = asString(data["type"]) ?? event.name ?? "";
    const handle = handlers.get(type);
    return handle === undefined ? [] : [...begin(state, data), ...handle(state, data)];
  },
  finish: () => [],
};

type Handler = (state: ArrivingState, event: JsonObject) => readonly TurnEvent[];

const handlers = lookupTable<Handler>({
  "response.created": () => [],
  "response.output_item.added": (state, event) => addItem(state, event),
  "response.output_item.done": (state, event) =>
    finishItem(state, placeOf(event), asObject(event["item"]) ?? {}),
  "response.content_part.added": (state, event) => beginContent(state, event),
  "response.content_part.done": (state, event) => finishContent(state, event),
  "response.output_text.delta": (state, event) => contentText(state, event, "output_text"),
  "response.refusal.delta": (state, event) => contentText(state, event, "refusal"),
  "response.output_text.annotation.added": addCitation,
  "response.function_call_arguments.delta": (state, event) =>
    itemDelta(state, event, { type: "arguments", text: asString(event["delta"]) ?? "" }),
  "response.custom_tool_call_input.delta": (state, event) =>
    itemDelta(state, event, { type: "arguments", text: asString(event["delta"]) ?? "" }),
  "response.reasoning_summary_part.added": nextThought,
  "response.reasoning_summary_text.delta": readThought,
  "response.reasoning_text.delta": readThought,
  "response.completed": endStream,
  "response.incomplete": endStream,
  "response.failed": failStream,
  "response.cancelled": failStream,
  error: (state, event) => fail(state, decodeError(asObject(event["error"]) ?? flatError(event))),
});

function readData(event: StreamEvent): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(event.data);
  } catch (cause) {
    throw new MalformedAnswer("sent an event that is not JSON", { cause });
  }
  const object = asObject(value);
  if (object === undefined) throw new MalformedAnswer("sent an event that is no object");
  return object;
}

/** The first event tells the tier that was asked for, the last one that which served. */
function begin(state: ArrivingState, event: JsonObject): readonly TurnEvent[] {
  if (state.hasBegun) return [];
  state.hasBegun = true;
  return [{ type: "turn-start", tier: tierOf(event) }];
}

function contentText(
  state: ArrivingState,
  event: JsonObject,
  type: "output_text" | "refusal",
): readonly TurnEvent[] {
  const { part, events } = contentOf(state, event, type);
  const logprobs = asArray(event["logprobs"]);
  const text = asString(event["delta"]) ?? "";
  const delta: PartDelta =
    logprobs.length === 0 ? { type: "text", text } : { type: "text", text, logprobs };
  return [...events, ...extend(part, delta)];
}

function addCitation(state: ArrivingState, event: JsonObject): readonly TurnEvent[] {
  const { part, events } = contentOf(state, event, "output_text");
  const cited = citations(event["annotation"]);
  return [...events, ...cited.flatMap((citation) => extend(part, { type: "citation", citation }))];
}

function itemDelta(
  state: ArrivingState,
  event: JsonObject,
  delta: PartDelta,
): readonly TurnEvent[] {
  const part = partOfItem(state, event);
  return part === undefined ? [] : extend(part, delta);
}

function readThought(state: ArrivingState, event: JsonObject): readonly TurnEvent[] {
  return itemDelta(state, event, { type: "text", text: asString(event["delta"]) ?? "" });
}

/** What the last event tells beyond the others counts, too: some servers send little else. */
function endStream(state: ArrivingState, event: JsonObject): readonly TurnEvent[] {
  const response = asObject(event["response"]) ?? {};
  const late = asArray(response["output"]).flatMap((item, place) => [
    ...finishItem(state, place, asObject(item) ?? {}),
  ]);
  const usage = decodeUsage(response["usage"]);
  const told: readonly TurnEvent[] = usage === undefined ? [] : [{ type: "usage", usage }];
  const end = { ...endOf(state, response, event), tier: tierOf(event) };
  const closing = closeOpenParts(state);
  state.hasEnded = true;
  return [...late, ...closing, ...told, end];
}

function tierOf(event: JsonObject): ServiceTier | undefined {
  return readOpenTier(asObject(event["response"])?.["service_tier"]);
}

function endOf(state: ArrivingState, response: JsonObject, event: JsonObject): TurnEnd {
  const isIncomplete =
    event["type"] === "response.incomplete" || response["status"] === "incomplete";
  if (!isIncomplete) return decodeFinish(state);
  return decodeIncomplete(asString(asObject(response["incomplete_details"])?.["reason"]));
}

function failStream(state: ArrivingState, event: JsonObject): readonly TurnEvent[] {
  const response = asObject(event["response"]) ?? {};
  const usage = decodeUsage(response["usage"]);
  const told: readonly TurnEvent[] = usage === undefined ? [] : [{ type: "usage", usage }];
  return [...told, ...fail(state, decodeError(asObject(response["error"]) ?? {}))];
}

function fail(state: ArrivingState, error: TurnError): readonly TurnEvent[] {
  state.hasEnded = true;
  return [{ type: "error", error }];
}

/** The vendor's `error` event has its fields beside `type`, which is the event's own there. */
function flatError({ code, message, param }: JsonObject): JsonObject {
  return { code, message, param };
}
