import type { NeutralStopReason, NeutralEnd } from "../neutral-event.ts";

/** How a response ended: `status`, and why it is incomplete. */
export interface ResponsesEndStatus {
  readonly status: "completed" | "incomplete";
  /** `incomplete_details.reason`; null for a completed one. */
  readonly reason: "max_output_tokens" | "content_filter" | null;
}

const completed: ResponsesEndStatus = { status: "completed", reason: null };
const cutOff: ResponsesEndStatus = { status: "incomplete", reason: "max_output_tokens" };
const filtered: ResponsesEndStatus = { status: "incomplete", reason: "content_filter" };

/** Exhaustive: a new neutral reason does not compile without a row here. */
const endOfReason: Readonly<Record<NeutralStopReason, ResponsesEndStatus>> = {
  end: completed,
  "stop-sequence": completed,
  "tool-calls": completed,
  unknown: completed,
  length: cutOff,
  "context-window": cutOff,
  // The vendor wanted another turn and did not get it: what there is, is not all.
  pause: cutOff,
  refusal: filtered,
};

/** The ending that tells a neutral reason; there is no status for calls. */
export function encodeResponsesFinishReason(reason: NeutralStopReason): ResponsesEndStatus {
  return endOfReason[reason];
}

/** What an upstream's answer holds that its `status` does not tell. */
export interface ResponsesFinishReasonOutputFlags {
  readonly hasCalls: boolean;
  readonly hasRefusal: boolean;
}

/** The neutral end of a completed response. */
export function decodeResponsesFinishReason({
  hasCalls,
  hasRefusal,
}: ResponsesFinishReasonOutputFlags): NeutralEnd {
  if (hasCalls) return { type: "response-end", reason: "tool-calls", raw: "completed" };
  return { type: "response-end", reason: hasRefusal ? "refusal" : "end", raw: "completed" };
}

/** A reason of `incomplete_details` that is not known still says that the answer was cut. */
export function decodeResponsesIncompleteReason(reason: string | undefined): NeutralEnd {
  return {
    type: "response-end",
    reason: reason === "content_filter" ? "refusal" : "length",
    raw: reason ?? "incomplete",
  };
}
