import { asArray, type JsonObject } from "../json.ts";
import type { ServiceTier } from "../service-tier.ts";
import type { TurnEvent } from "../turn-event.ts";
import { readCalls } from "./read-call.ts";
import { readCitations, readWords } from "./read-message.ts";
import { endCalls, type StreamedCalls, takeCall } from "./stream-calls.ts";

type SaidType = "text" | "refusal" | "reasoning";

/** What is known of a stream that is being read. */
export interface ReadingState {
  hasStarted: boolean;
  hasEnded: boolean;
  hasRefusal: boolean;
  hasCall: boolean;
  /** Number of the next part. */
  nextIndex: number;
  /** The part that words are added to. */
  open: { readonly type: SaidType; readonly index: number } | undefined;
  readonly calls: StreamedCalls;
  /** Last `finish_reason` of the choice. */
  finish: string | undefined;
  stopReason: unknown;
  tier: ServiceTier | undefined;
}

export function startReading(): ReadingState {
  return {
    hasStarted: false,
    hasEnded: false,
    hasRefusal: false,
    hasCall: false,
    nextIndex: 0,
    open: undefined,
    calls: [],
    finish: undefined,
    stopReason: undefined,
    tier: undefined,
  };
}

/** One chunk may hold everything at once: thoughts come first, calls last. */
export function takeDelta(
  state: ReadingState,
  delta: JsonObject,
  logprobs: JsonObject | undefined,
  events: TurnEvent[],
): void {
  const { text, reasoning, refusal } = readWords(delta);
  say(state, "reasoning", reasoning, [], events);
  say(state, "text", text, asArray(logprobs?.["content"]), events);
  cite(state, delta, events);
  say(state, "refusal", refusal, asArray(logprobs?.["refusal"]), events);
  for (const piece of readCalls(delta)) {
    state.hasCall = true;
    closeSaid(state, events);
    takeCall(state.calls, piece, () => takeIndex(state), events);
  }
}

/** Calls stay open to the end: a piece of theirs may come after anything. */
export function closeParts(state: ReadingState, events: TurnEvent[]): void {
  closeSaid(state, events);
  endCalls(state.calls, events);
}

function say(
  state: ReadingState,
  type: SaidType,
  text: string,
  logprobs: readonly unknown[],
  events: TurnEvent[],
): void {
  if (text === "") return;
  if (state.open?.type !== type) openSaid(state, type, events);
  const index = state.open?.index ?? 0;
  const delta =
    logprobs.length === 0
      ? ({ type: "text", text } as const)
      : ({ type: "text", text, logprobs } as const);
  events.push({ type: "part-delta", index, delta });
}

function openSaid(state: ReadingState, type: SaidType, events: TurnEvent[]): void {
  closeSaid(state, events);
  if (type === "refusal") state.hasRefusal = true;
  state.open = { type, index: takeIndex(state) };
  events.push({ type: "part-start", index: state.open.index, part: { type } });
}

function closeSaid(state: ReadingState, events: TurnEvent[]): void {
  const { open } = state;
  if (open === undefined) return;
  state.open = undefined;
  if (open.type === "reasoning") {
    const seal = { dialect: "dialect_chat", kind: "plain" } as const;
    events.push({ type: "part-delta", index: open.index, delta: { type: "seal", seal } });
  }
  events.push({ type: "part-end", index: open.index });
}

/** A source without an open text has nothing to stand in. */
function cite(state: ReadingState, delta: JsonObject, events: TurnEvent[]): void {
  if (state.open?.type !== "text") return;
  const { index } = state.open;
  for (const citation of readCitations(delta)) {
    events.push({ type: "part-delta", index, delta: { type: "citation", citation } });
  }
}

function takeIndex(state: ReadingState): number {
  const index = state.nextIndex;
  state.nextIndex += 1;
  return index;
}
