import { recordToMap } from "../../platform/lookup-table.ts";
import type { NeutralStopReason, NeutralEnd, NeutralError } from "../neutral-event.ts";

export type ChatFinishReason = "stop" | "length" | "tool_calls" | "content_filter";

/** Exhaustive: a new neutral reason does not compile without a row here. */
const finishOfReason: Readonly<Record<NeutralStopReason, ChatFinishReason>> = {
  end: "stop",
  "stop-sequence": "stop",
  length: "length",
  "context-window": "length",
  "tool-calls": "tool_calls",
  refusal: "content_filter",
  // The vendor wanted another turn and did not get it.
  pause: "length",
  unknown: "stop",
};

/** The word that a caller of chat knows. */
export function encodeChatFinishReason(reason: NeutralStopReason): ChatFinishReason {
  return finishOfReason[reason];
}

const reasonOfFinish = recordToMap<NeutralStopReason>({
  stop: "end",
  length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "refusal",
  // Words of compatible servers for an answer that was cut off.
  max_tokens: "length",
  model_length: "length",
});

/** Words of compatible servers for an answer that they could not finish. */
const failures: ReadonlySet<string> = new Set(["error", "insufficient_system_resource"]);

/** The failure that a `finish_reason` tells; undefined: it tells an end. */
export function decodeChatFinishReasonError(finish: unknown): NeutralError | undefined {
  if (typeof finish !== "string" || !failures.has(finish)) return undefined;
  const message = `The upstream gave its answer up: \`${finish}\`.`;
  return { type: undefined, code: finish, message };
}

/** What a choice says beside its `finish_reason`. */
export interface ChatChoiceEndContext {
  readonly hasCalls: boolean;
  readonly hasRefusal: boolean;
  /** `stop_reason` of some servers: the sequence that was met. */
  readonly stopReason: unknown;
  /** Sequences that were asked for. */
  readonly stop: readonly string[];
}

/**
 * The neutral end of a choice. Servers that say `stop` with calls mean the calls,
 * and a refusal is one whatever they say; an unknown word is kept.
 */
export function decodeChatFinishReason(
  raw: string | undefined,
  ending: ChatChoiceEndContext,
): NeutralEnd {
  const reason = reasonOf(raw, ending);
  const { stopReason } = ending;
  if (reason === "end" && typeof stopReason === "string" && ending.stop.includes(stopReason)) {
    return { type: "response-end", reason: "stop-sequence", raw, stopSequence: stopReason };
  }
  return { type: "response-end", reason, raw };
}

function reasonOf(
  raw: string | undefined,
  { hasCalls, hasRefusal }: ChatChoiceEndContext,
): NeutralStopReason {
  const reason = raw === undefined ? "end" : (reasonOfFinish.get(raw) ?? "unknown");
  if (reason !== "end" && reason !== "unknown") return reason;
  if (hasRefusal) return "refusal";
  return hasCalls ? "tool-calls" : reason;
}
