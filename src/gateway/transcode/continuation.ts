import type { JsonObject } from "../../dialect/json.ts";
import type { StreamTransformer } from "../../dialect/step-machine.ts";
import type { NeutralEvent } from "../../dialect/neutral-event.ts";
import type { OpaquePart, NeutralRequest } from "../../dialect/neutral-request.ts";
import { mergeTokenUsage, sumTokenUsage, type TokenUsage } from "../../dialect/usage.ts";
import type { DialectId } from "../../platform/configuration/configuration.ts";

/**
 * The turn of the dial that goes on with a paused answer: the upstream's own
 * words stand at its end, as it sent them.
 */
export function buildPauseContinuationRequest(
  turn: NeutralRequest,
  dialect: DialectId,
  said: readonly JsonObject[],
): NeutralRequest {
  const path = `messages[${turn.messages.length}]`;
  const parts = said.map((raw): OpaquePart => ({ type: "opaque", path, dialect, name: "", raw }));
  return { ...turn, messages: [...turn.messages, { path, role: "assistant", parts }] };
}

/** What a caller was told before its turn was paused. */
export interface SentResponseProgress {
  readonly parts: number;
  readonly usage: TokenUsage | undefined;
}

/**
 * The events of a dial that goes on, as one answer with those before: parts are numbered
 * behind them, usage is the sum, and the answer does not start again.
 */
export function createPauseContinuationTransformer(
  before: SentResponseProgress,
): StreamTransformer<PauseContinuationState, NeutralEvent, NeutralEvent> {
  return {
    start: () => ({ usage: undefined }),
    step: (state, event) => continueTurn(state, event, before),
    finish: () => [],
  };
}

/** State of `continuation`. */
export interface PauseContinuationState {
  /** Of this dial. */
  usage: TokenUsage | undefined;
}

function continueTurn(
  state: PauseContinuationState,
  event: NeutralEvent,
  { parts, usage }: SentResponseProgress,
): readonly NeutralEvent[] {
  if (event.type === "response-start") return [];
  if (event.type === "usage") {
    state.usage = mergeTokenUsage(state.usage, event.usage);
    const whole = usage === undefined ? state.usage : sumTokenUsage(usage, state.usage);
    return [{ type: "usage", usage: whole }];
  }
  return ["index" in event ? { ...event, index: event.index + parts } : event];
}
