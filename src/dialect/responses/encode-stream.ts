import type { ResponseEncodingContext, StreamEncoder } from "../codec.ts";
import type { CallerFacingError } from "../dialect-error.ts";
import { fillMissingTokenUsage } from "../estimate-usage.ts";
import type { NeutralEnd, NeutralEvent } from "../neutral-event.ts";
import { mergeTokenUsage } from "../usage.ts";
import { serializeResponsesErrorEvent, toResponsesResponseErrorCode } from "./error.ts";
import { encodeResponsesFinishReason } from "./finish-reason.ts";
import { ResponsesOutputItemIdGenerator } from "./item-ids.ts";
import {
  buildResponsesResponseObject,
  type ResponsesResponseObjectState,
} from "./response-object.ts";
import {
  serializeResponsesFrame,
  serializeResponsesResponseLifecycleEvent,
} from "./stream-frames.ts";
import {
  closeStreamedItem,
  closeStreamedItems,
  endStreamedParts,
  endStreamedPart,
  appendResponsesStreamedPartDelta,
  startStreamedContent,
  startStreamedPart,
  type ResponsesEncoderState,
} from "./stream-items.ts";

/**
 * Writes a stream in the grammar that the official client demands: every item
 * and part is announced, ended and repeated whole, ids never change, numbers
 * have no gaps. The last item stays open until something follows it, because
 * only then it is known whether it was cut.
 *
 * An `error` event writes nothing: who relays it calls `fail`, which knows the
 * request's id.
 */
export function createResponsesStreamEncoder(context: ResponseEncodingContext): StreamEncoder {
  const state: ResponsesEncoderState = {
    context,
    counter: { next: 0 },
    ids: new ResponsesOutputItemIdGenerator(context.id),
    items: [],
    outputs: new Map(),
    parts: new Map(),
    openParts: new Map(),
    usage: undefined,
    written: 0,
    hasBegun: false,
    hasEnded: false,
    hasRefusal: false,
  };
  return {
    push: (event) => (state.hasEnded ? "" : step(state, event)),
    largeFrames: (event) =>
      state.hasEnded || state.written < largeCharacters ? undefined : closingFrames(state, event),
    fail: (error) => (state.hasEnded ? "" : fail(state, error)),
  };
}

/** An answer of more is repeated event by event: its closing events have its text four times. */
const largeCharacters = 64 * 1024;

/** Returns undefined for an event whose frames repeat no text. */
function closingFrames(
  state: ResponsesEncoderState,
  event: NeutralEvent,
): Iterable<string> | undefined {
  if (event.type === "part-end") return endStreamedPart(state, event.index);
  return event.type === "response-end" ? end(state, event) : undefined;
}

function step(state: ResponsesEncoderState, event: NeutralEvent): string {
  switch (event.type) {
    case "part-delta":
      if ("text" in event.delta) state.written += event.delta.text.length;
      return appendResponsesStreamedPartDelta(state, event.index, event.delta);
    case "response-start":
      return begin(state);
    case "part-start":
      return begin(state) + startStreamedPart(state, event.index, event.part);
    case "part-end":
      return [...endStreamedPart(state, event.index)].join("");
    case "usage":
      state.usage = mergeTokenUsage(state.usage, event.usage);
      return "";
    case "response-end":
      return [...end(state, event)].join("");
    case "error":
      return "";
  }
}

/** The object is the same in both events, and may be large: it is turned into text once. */
function begin(state: ResponsesEncoderState): string {
  if (state.hasBegun) return "";
  state.hasBegun = true;
  const response = JSON.stringify(buildResponsesResponseObject(state.context, notEnded));
  return (
    serializeResponsesResponseLifecycleEvent(state.counter, "response.created", response) +
    serializeResponsesResponseLifecycleEvent(state.counter, "response.in_progress", response)
  );
}

const notEnded: ResponsesResponseObjectState = {
  status: "in_progress",
  output: [],
  usage: undefined,
  reason: null,
  error: null,
};

function* end(state: ResponsesEncoderState, event: NeutralEnd): Iterable<string> {
  const { status, reason } = encodeResponsesFinishReason(event.reason);
  yield begin(state);
  yield emitRefusal(state, event);
  yield* endStreamedParts(state);
  yield* closeStreamedItems(state, status);
  state.usage = fillMissingTokenUsage(state.usage, state.context.estimatedInput, state.written);
  yield finish(state, { status, reason, error: null, tier: event.tier });
}

/** A vendor that refuses in a field of its own says here why, where this dialect's clients look. */
function emitRefusal(state: ResponsesEncoderState, { reason, explanation }: NeutralEnd): string {
  if (reason !== "refusal" || explanation === undefined || state.hasRefusal) return "";
  return (
    startStreamedContent(state, -1, "refusal") +
    appendResponsesStreamedPartDelta(state, -1, { type: "text", text: explanation })
  );
}

function finish(
  state: ResponsesEncoderState,
  ending: Omit<ResponsesResponseObjectState, "output" | "usage">,
): string {
  state.hasEnded = true;
  const output = state.items.map((item) => state.outputs.get(item) ?? {});
  const response = buildResponsesResponseObject(state.context, {
    ...ending,
    output,
    usage: state.usage,
  });
  return serializeResponsesFrame(state.counter, `response.${ending.status}`, { response });
}

/**
 * Closes what is open as incomplete and says that the response failed, for
 * clients that stop at a terminal event; the `error` event behind it makes the
 * official client throw. Before any item the error stands alone.
 */
function fail(state: ResponsesEncoderState, error: CallerFacingError): string {
  const closing = state.items.length === 0 ? "" : failItems(state, error);
  state.hasEnded = true;
  return closing + serializeResponsesErrorEvent(error, state.counter.next++);
}

function failItems(state: ResponsesEncoderState, error: CallerFacingError): string {
  const open = new Set([...state.parts.values()].map(({ item }) => item));
  const parts = [...endStreamedParts(state)].join("");
  const items = state.items.map((item) =>
    closeStreamedItem(state, item, open.has(item) ? "incomplete" : "completed"),
  );
  const told = { code: toResponsesResponseErrorCode(error.code), message: error.message };
  const last = finish(state, { status: "failed", reason: null, error: told });
  return parts + items.join("") + last;
}
