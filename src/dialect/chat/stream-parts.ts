import { asArrayOrEmpty, type JsonObject } from "../json.ts";
import type { BufferedValueCounter } from "../codec.ts";
import type { ResponseServiceTier } from "../service-tier.ts";
import type { NeutralEvent } from "../neutral-event.ts";
import { readChatToolCallDeltas } from "./read-tool-call.ts";
import { readChatCitations, readChatMessageText } from "./read-message.ts";
import {
  finishChatStreamToolCalls,
  createChatStreamToolCalls,
  type ChatStreamToolCalls,
  appendChatToolCallDeltaEvents,
} from "./stream-tool-calls.ts";

type TextPartType = "text" | "refusal" | "reasoning";

/** What is known of a stream that is being read. */
export interface ChatDecoderState {
  hasStarted: boolean;
  hasEnded: boolean;
  hasRefusal: boolean;
  hasCall: boolean;
  /** Number of the next part. */
  nextIndex: number;
  /** The part that words are added to. */
  open: { readonly type: TextPartType; readonly index: number } | undefined;
  readonly calls: ChatStreamToolCalls;
  /** Last `finish_reason` of the choice. */
  finish: string | undefined;
  stopReason: unknown;
  tier: ResponseServiceTier | undefined;
}

export function createChatDecoderState(countKept?: BufferedValueCounter): ChatDecoderState {
  return {
    hasStarted: false,
    hasEnded: false,
    hasRefusal: false,
    hasCall: false,
    nextIndex: 0,
    open: undefined,
    calls: createChatStreamToolCalls(countKept),
    finish: undefined,
    stopReason: undefined,
    tier: undefined,
  };
}

/** One chunk may hold everything at once: thoughts come first, calls last. */
export function appendChatDeltaEvents(
  state: ChatDecoderState,
  delta: JsonObject,
  logprobs: JsonObject | undefined,
  events: NeutralEvent[],
): void {
  const { text, reasoning, refusal } = readChatMessageText(delta);
  appendText(state, "reasoning", reasoning, [], events);
  appendText(state, "text", text, asArrayOrEmpty(logprobs?.["content"]), events);
  cite(state, delta, events);
  appendText(state, "refusal", refusal, asArrayOrEmpty(logprobs?.["refusal"]), events);
  for (const piece of readChatToolCallDeltas(delta)) {
    state.hasCall = true;
    closeTextPart(state, events);
    appendChatToolCallDeltaEvents(state.calls, piece, () => takeIndex(state), events);
  }
}

/** Calls stay open to the end: a piece of theirs may come after anything. */
export function appendChatPartEndEvents(state: ChatDecoderState, events: NeutralEvent[]): void {
  closeTextPart(state, events);
  finishChatStreamToolCalls(state.calls, events);
}

function appendText(
  state: ChatDecoderState,
  type: TextPartType,
  text: string,
  logprobs: readonly unknown[],
  events: NeutralEvent[],
): void {
  if (text === "") return;
  if (state.open?.type !== type) openTextPart(state, type, events);
  const index = state.open?.index ?? 0;
  const delta =
    logprobs.length === 0
      ? ({ type: "text", text } as const)
      : ({ type: "text", text, logprobs } as const);
  events.push({ type: "part-delta", index, delta });
}

function openTextPart(state: ChatDecoderState, type: TextPartType, events: NeutralEvent[]): void {
  closeTextPart(state, events);
  if (type === "refusal") state.hasRefusal = true;
  state.open = { type, index: takeIndex(state) };
  events.push({ type: "part-start", index: state.open.index, part: { type } });
}

function closeTextPart(state: ChatDecoderState, events: NeutralEvent[]): void {
  const { open } = state;
  if (open === undefined) return;
  state.open = undefined;
  if (open.type === "reasoning") {
    const seal = { dialect: "dialect_chat", kind: "plain" } as const;
    events.push({
      type: "part-delta",
      index: open.index,
      delta: { type: "encrypted-reasoning", seal },
    });
  }
  events.push({ type: "part-end", index: open.index });
}

/** A source without an open text has nothing to stand in. */
function cite(state: ChatDecoderState, delta: JsonObject, events: NeutralEvent[]): void {
  if (state.open?.type !== "text") return;
  const { index } = state.open;
  for (const citation of readChatCitations(delta)) {
    events.push({ type: "part-delta", index, delta: { type: "citation", citation } });
  }
}

function takeIndex(state: ChatDecoderState): number {
  const index = state.nextIndex;
  state.nextIndex += 1;
  return index;
}
