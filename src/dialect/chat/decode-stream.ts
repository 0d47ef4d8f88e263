import type { StreamEvent } from "../../platform/sse/stream-event.ts";
import { MalformedAnswer, type UpstreamContext } from "../codec.ts";
import { asArray, asObject, type JsonObject } from "../json.ts";
import { readOpenTier } from "../service-tier.ts";
import type { StepMachine } from "../step-machine.ts";
import type { TurnError, TurnEvent } from "../turn-event.ts";
import { errorOfEvent, readError } from "./read-error.ts";
import { closeParts, type ReadingState, startReading, takeDelta } from "./stream-parts.ts";
import { failureOfFinish, decodeFinish } from "./finish-reason.ts";
import { decodeUsage } from "./usage.ts";

/**
 * Reads an upstream's stream. The end is told when nothing more can follow:
 * usage comes behind the last choice, if it comes. A stream without a
 * `finish_reason` and without `[DONE]` broke off.
 */
export function decodeStream(
  context: UpstreamContext,
): StepMachine<ReadingState, StreamEvent, TurnEvent> {
  return {
    start: startReading,
    step: (state, event) => (state.hasEnded ? [] : take(state, event, context)),
    finish: (state) => (state.hasEnded || state.finish === undefined ? [] : end(state, context)),
  };
}

function take(
  state: ReadingState,
  event: StreamEvent,
  context: UpstreamContext,
): readonly TurnEvent[] {
  const data = event.data.trim();
  if (data === "") return [];
  if (data === "[DONE]") return done(state, context);
  const chunk = parse(data);
  const choice = chunk === undefined ? undefined : choiceOf(chunk);
  const error = errorIn(chunk, event) ?? failureOfFinish(choice?.["finish_reason"]);
  if (error !== undefined) {
    state.hasEnded = true;
    return [{ type: "error", error }];
  }
  if (chunk !== undefined) return takenChunk(state, chunk, choice, context);
  // What follows a finished choice may be anything; before, it is a failure.
  if (state.finish !== undefined) return [];
  throw new MalformedAnswer("sent an event that is no chunk");
}

function errorIn(chunk: JsonObject | undefined, event: StreamEvent): TurnError | undefined {
  if (event.name !== "error") return chunk === undefined ? undefined : readError(chunk);
  return errorOfEvent(chunk ?? { message: event.data });
}

/** The answer has one choice; further ones were not asked for. */
function choiceOf(chunk: JsonObject): JsonObject | undefined {
  for (const value of asArray(chunk["choices"])) {
    const choice = asObject(value);
    if (choice !== undefined && (choice["index"] ?? 0) === 0) return choice;
  }
  return undefined;
}

function parse(data: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(data));
  } catch {
    return undefined;
  }
}

function takenChunk(
  state: ReadingState,
  chunk: JsonObject,
  choice: JsonObject | undefined,
  context: UpstreamContext,
): readonly TurnEvent[] {
  state.tier = readOpenTier(chunk["service_tier"]) ?? state.tier;
  const events: TurnEvent[] = begin(state, chunk);
  if (choice !== undefined) takeChoice(state, choice, events);
  const usage = decodeUsage(chunk["usage"] ?? asObject(chunk["x_groq"])?.["usage"]);
  if (usage !== undefined) events.push({ type: "usage", usage });
  // The usage of a whole stream has a chunk of its own, and it is the last.
  const isLast = usage !== undefined && state.finish !== undefined && choice === undefined;
  return isLast ? [...events, ...end(state, context)] : events;
}

function begin(state: ReadingState, chunk: JsonObject): TurnEvent[] {
  if (state.hasStarted || !Array.isArray(chunk["choices"])) return [];
  state.hasStarted = true;
  return [{ type: "turn-start", tier: state.tier }];
}

function takeChoice(state: ReadingState, choice: JsonObject, events: TurnEvent[]): void {
  const delta = asObject(choice["delta"]) ?? asObject(choice["message"]);
  if (delta !== undefined) takeDelta(state, delta, asObject(choice["logprobs"]), events);
  const finish = choice["finish_reason"];
  if (typeof finish !== "string" || finish === "") return;
  state.finish = finish;
  state.stopReason = choice["stop_reason"];
}

/** An end that was said, although no choice gave its reason. */
function done(state: ReadingState, context: UpstreamContext): readonly TurnEvent[] {
  if (!state.hasStarted) throw new MalformedAnswer("ended its stream before any chunk");
  return end(state, context);
}

function end(state: ReadingState, { stop }: UpstreamContext): readonly TurnEvent[] {
  state.hasEnded = true;
  const { stopReason, hasRefusal } = state;
  const events: TurnEvent[] = [];
  closeParts(state, events);
  const ending = { hasCalls: state.hasCall, hasRefusal, stopReason, stop };
  return [...events, { ...decodeFinish(state.finish, ending), tier: state.tier }];
}
