import { recordToMap } from "../../platform/lookup-table.ts";
import type { SseEvent } from "../../platform/sse/stream-event.ts";
import { MalformedResponseError, type BufferedValueCounter, type StreamDecoder } from "../codec.ts";
import { asArrayOrEmpty, asObject, asString, type JsonObject } from "../json.ts";
import { parseResponseServiceTier, type ResponseServiceTier } from "../service-tier.ts";
import { type StreamTransformer, startStreamTransform } from "../step-machine.ts";
import type { NeutralPartDelta, NeutralEnd, NeutralError, NeutralEvent } from "../neutral-event.ts";
import { assertEventWithinJsonLimits } from "../value-limit.ts";
import { decodeResponsesResponseError } from "./decode-response.ts";
import { decodeResponsesFinishReason, decodeResponsesIncompleteReason } from "./finish-reason.ts";
import { decodeResponsesAnnotation } from "./output-parts.ts";
import {
  decodeResponsesOutputItemAdded,
  type ResponsesDecoderState,
  closeOpenParts,
  ensureIncomingContentPart,
  appendResponsesOpenPartDelta,
  decodeResponsesContentPartDone,
  decodeResponsesOutputItemDone,
  finishOutputItems,
  decodeResponsesReasoningPartAdded,
  findResponsesOpenCallOrReasoning,
  decodeResponsesContentPartAdded,
} from "./incoming-items.ts";
import { decodeResponsesUsage } from "./usage.ts";

/**
 * Reads an upstream's stream. Items are told apart by their place, because some
 * servers change ids on the way; announcements may be missing; what only the
 * `done` events or the last one tell is told then. Unknown events are passed by.
 */
export function createResponsesStreamDecoder(countKept?: BufferedValueCounter): StreamDecoder {
  return startStreamTransform({ ...steps, start: () => startResponsesStream(countKept) });
}

function startResponsesStream(countKept: BufferedValueCounter | undefined): ResponsesDecoderState {
  return {
    hasBegun: false,
    hasEnded: false,
    parts: 0,
    items: new Map(),
    placesById: new Map(),
    countKept,
    hasCalls: false,
    hasRefusal: false,
  };
}

const steps: Omit<StreamTransformer<ResponsesDecoderState, SseEvent, NeutralEvent>, "start"> = {
  step: (state, event) => {
    if (state.hasEnded || event.data.trim() === "[DONE]") return [];
    const data = readData(event);
    const type = asString(data["type"]) ?? event.name ?? "";
    const handle = handlers.get(type);
    return handle === undefined ? [] : [...begin(state, data), ...handle(state, data)];
  },
  finish: () => [],
};

type Handler = (state: ResponsesDecoderState, event: JsonObject) => readonly NeutralEvent[];

const handlers = recordToMap<Handler>({
  "response.created": () => [],
  "response.output_item.added": (state, event) => decodeResponsesOutputItemAdded(state, event),
  "response.output_item.done": decodeResponsesOutputItemDone,
  "response.content_part.added": (state, event) => decodeResponsesContentPartAdded(state, event),
  "response.content_part.done": (state, event) => decodeResponsesContentPartDone(state, event),
  "response.output_text.delta": (state, event) => contentText(state, event, "output_text"),
  "response.refusal.delta": (state, event) => contentText(state, event, "refusal"),
  "response.output_text.done": (state, event) => wholeText(state, event, "output_text", "text"),
  "response.refusal.done": (state, event) => wholeText(state, event, "refusal", "refusal"),
  "response.output_text.annotation.added": addCitation,
  "response.function_call_arguments.delta": (state, event) =>
    itemDelta(state, event, { type: "arguments", text: asString(event["delta"]) ?? "" }),
  "response.custom_tool_call_input.delta": (state, event) =>
    itemDelta(state, event, { type: "arguments", text: asString(event["delta"]) ?? "" }),
  "response.function_call_arguments.done": (state, event) =>
    wholeArguments(state, event, "arguments"),
  "response.custom_tool_call_input.done": (state, event) => wholeArguments(state, event, "input"),
  "response.reasoning_summary_part.added": decodeResponsesReasoningPartAdded,
  "response.reasoning_summary_text.delta": readThought,
  "response.reasoning_text.delta": readThought,
  "response.completed": endStream,
  "response.incomplete": endStream,
  "response.failed": failStream,
  "response.cancelled": failStream,
  error: (state, event) =>
    fail(state, decodeResponsesResponseError(asObject(event["error"]) ?? flatError(event))),
});

function readData(event: SseEvent): JsonObject {
  assertEventWithinJsonLimits(event.data);
  let value: unknown;
  try {
    value = JSON.parse(event.data);
  } catch (cause) {
    throw new MalformedResponseError("sent an event that is not JSON", { cause });
  }
  const object = asObject(value);
  if (object === undefined) throw new MalformedResponseError("sent an event that is no object");
  return object;
}

/** The first event tells the tier that was asked for, the last one that which served. */
function begin(state: ResponsesDecoderState, event: JsonObject): readonly NeutralEvent[] {
  if (state.hasBegun) return [];
  state.hasBegun = true;
  return [{ type: "response-start", tier: tierOf(event) }];
}

function contentText(
  state: ResponsesDecoderState,
  event: JsonObject,
  type: "output_text" | "refusal",
): readonly NeutralEvent[] {
  const { part, events } = ensureIncomingContentPart(state, event, type);
  const logprobs = asArrayOrEmpty(event["logprobs"]);
  const text = asString(event["delta"]) ?? "";
  const delta: NeutralPartDelta =
    logprobs.length === 0 ? { type: "text", text } : { type: "text", text, logprobs };
  return [...events, ...appendResponsesOpenPartDelta(part, delta)];
}

/** A text of which no piece came; else it repeats them. */
function wholeText(
  state: ResponsesDecoderState,
  event: JsonObject,
  type: "output_text" | "refusal",
  name: string,
): readonly NeutralEvent[] {
  const { part, events } = ensureIncomingContentPart(state, event, type);
  if (part.hasWords) return events;
  const text = asString(event[name]) ?? "";
  return [...events, ...appendResponsesOpenPartDelta(part, { type: "text", text })];
}

/** The arguments of a call of which no piece came; else they repeat them. */
function wholeArguments(
  state: ResponsesDecoderState,
  event: JsonObject,
  name: string,
): readonly NeutralEvent[] {
  const part = findResponsesOpenCallOrReasoning(state, event);
  if (part === undefined || part.hasWords) return [];
  return appendResponsesOpenPartDelta(part, {
    type: "arguments",
    text: asString(event[name]) ?? "",
  });
}

function addCitation(state: ResponsesDecoderState, event: JsonObject): readonly NeutralEvent[] {
  const { part, events } = ensureIncomingContentPart(state, event, "output_text");
  const cited = decodeResponsesAnnotation(event["annotation"]);
  return [
    ...events,
    ...cited.flatMap((citation) =>
      appendResponsesOpenPartDelta(part, { type: "citation", citation }),
    ),
  ];
}

function itemDelta(
  state: ResponsesDecoderState,
  event: JsonObject,
  delta: NeutralPartDelta,
): readonly NeutralEvent[] {
  const part = findResponsesOpenCallOrReasoning(state, event);
  return part === undefined ? [] : appendResponsesOpenPartDelta(part, delta);
}

function readThought(state: ResponsesDecoderState, event: JsonObject): readonly NeutralEvent[] {
  return itemDelta(state, event, { type: "text", text: asString(event["delta"]) ?? "" });
}

/** What the last event tells beyond the others counts, too: some servers send little else. */
function endStream(state: ResponsesDecoderState, event: JsonObject): readonly NeutralEvent[] {
  const response = asObject(event["response"]) ?? {};
  const late = finishOutputItems(state, asArrayOrEmpty(response["output"]));
  const usage = decodeResponsesUsage(response["usage"]);
  const told: readonly NeutralEvent[] = usage === undefined ? [] : [{ type: "usage", usage }];
  const end = { ...endOf(state, response, event), tier: tierOf(event) };
  const closing = closeOpenParts(state);
  state.hasEnded = true;
  return [...late, ...closing, ...told, end];
}

function tierOf(event: JsonObject): ResponseServiceTier | undefined {
  return parseResponseServiceTier(asObject(event["response"])?.["service_tier"]);
}

function endOf(state: ResponsesDecoderState, response: JsonObject, event: JsonObject): NeutralEnd {
  const isIncomplete =
    event["type"] === "response.incomplete" || response["status"] === "incomplete";
  if (!isIncomplete) return decodeResponsesFinishReason(state);
  return decodeResponsesIncompleteReason(
    asString(asObject(response["incomplete_details"])?.["reason"]),
  );
}

function failStream(state: ResponsesDecoderState, event: JsonObject): readonly NeutralEvent[] {
  const response = asObject(event["response"]) ?? {};
  const usage = decodeResponsesUsage(response["usage"]);
  const told: readonly NeutralEvent[] = usage === undefined ? [] : [{ type: "usage", usage }];
  return [...told, ...fail(state, decodeResponsesResponseError(asObject(response["error"]) ?? {}))];
}

function fail(state: ResponsesDecoderState, error: NeutralError): readonly NeutralEvent[] {
  state.hasEnded = true;
  return [{ type: "error", error }];
}

/** The vendor's `error` event has its fields beside `type`, which is the event's own there. */
function flatError({ code, message, param }: JsonObject): JsonObject {
  return { code, message, param };
}
