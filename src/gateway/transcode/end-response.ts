import type { NeutralEnd, NeutralError, NeutralEvent } from "../../dialect/neutral-event.ts";
import { createCallFailure, type CallFailure } from "../call/call-failure.ts";
import type { ResolvedUpstream } from "../upstream/call-target.ts";
import { createUpstreamStreamErrorFailure } from "../upstream/upstream-error.ts";
import type { StreamStageFactory, StreamStage } from "../pass-through/stage.ts";
import type { TranscodedCall } from "./transcoded-call.ts";

/** Whether a turn goes on in another dial, so that its caller hears of no end yet. */
export type FollowUpAttemptPredicate = (end: NeutralEnd) => boolean;

/**
 * How far the turn of one dial is: open until its last event has come, over when the next
 * stage has heard of its end.
 */
export interface AttemptResponseState {
  phase: "open" | "paused" | "ended" | "over";
}

/** Whose turn it is, and who hears of it. */
type EndingCall = Pick<TranscodedCall, "target" | "response">;

/**
 * Judges how the turn of an upstream ends: as it should, with an error, too early, or
 * not yet. What breaks off behind its last event has ended as it should.
 */
export function createResponseEndCheckStage(
  state: AttemptResponseState,
  call: EndingCall,
  goesOn: FollowUpAttemptPredicate,
): StreamStageFactory<readonly NeutralEvent[], readonly NeutralEvent[]> {
  return (next) => new ResponseEndStage(state, call, goesOn, next);
}

class ResponseEndStage implements StreamStage<readonly NeutralEvent[]> {
  readonly #state: AttemptResponseState;
  readonly #call: EndingCall;
  readonly #goesOn: FollowUpAttemptPredicate;
  readonly #next: StreamStage<readonly NeutralEvent[]>;

  constructor(
    state: AttemptResponseState,
    call: EndingCall,
    goesOn: FollowUpAttemptPredicate,
    next: StreamStage<readonly NeutralEvent[]>,
  ) {
    this.#state = state;
    this.#call = call;
    this.#goesOn = goesOn;
    this.#next = next;
  }

  push(events: readonly NeutralEvent[]): boolean {
    const last = events.at(-1);
    switch (last?.type) {
      case "error":
        return this.#break(events, last.error);
      case "response-end":
        return this.#end(events, last);
      default:
        return this.#next.push(events);
    }
  }

  finish(): void {
    if (this.#state.phase === "open") this.fail(incomplete(this.#call.target));
    else if (this.#state.phase === "ended") this.#close();
  }

  fail(cause: CallFailure): void {
    if (this.#state.phase === "ended") {
      this.#close();
      return;
    }
    this.#state.phase = "over";
    this.#next.fail(cause);
  }

  #close(): void {
    this.#state.phase = "over";
    this.#next.finish();
  }

  #end(events: readonly NeutralEvent[], end: NeutralEnd): boolean {
    const goesOn = this.#goesOn(end);
    const mayGoOn = this.#next.push(goesOn ? events.slice(0, -1) : events);
    this.#state.phase = goesOn ? "paused" : "ended";
    return mayGoOn;
  }

  /** As long as a status can tell the error, nothing that came in one read with it is told. */
  #break(events: readonly NeutralEvent[], error: NeutralError): boolean {
    if (this.#call.response.isStreaming) this.#next.push(events.slice(0, -1));
    this.fail(createUpstreamStreamErrorFailure(this.#call.target, error));
    return true;
  }
}

function incomplete({ name }: ResolvedUpstream): CallFailure {
  return createCallFailure(
    "upstream_incomplete",
    `The upstream \`${name}\` ended its answer too early.`,
  );
}
