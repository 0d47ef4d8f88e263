import type { NeutralStopReason } from "../neutral-event.ts";

const reasons = {
  end_turn: "end",
  max_tokens: "length",
  stop_sequence: "stop-sequence",
  tool_use: "tool-calls",
  pause_turn: "pause",
  refusal: "refusal",
  model_context_window_exceeded: "context-window",
} as const satisfies Readonly<Record<string, NeutralStopReason>>;

/** The words of `stop_reason` that this dialect's callers know. */
export type MessagesStopReason = keyof typeof reasons;

/** What a `stop_reason` means; an unknown one stays beside it as `raw`. */
export function decodeMessagesFinishReason(raw: string): NeutralStopReason {
  return Object.hasOwn(reasons, raw) ? reasons[raw as MessagesStopReason] : "unknown";
}

const words: Readonly<Record<NeutralStopReason, MessagesStopReason>> = {
  end: "end_turn",
  length: "max_tokens",
  "stop-sequence": "stop_sequence",
  "tool-calls": "tool_use",
  pause: "pause_turn",
  refusal: "refusal",
  "context-window": "model_context_window_exceeded",
  unknown: "end_turn",
};

/** The `stop_reason` for a caller; what nobody knows ended all the same. */
export function encodeMessagesFinishReason(reason: NeutralStopReason): MessagesStopReason {
  return words[reason];
}
