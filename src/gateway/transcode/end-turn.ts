import type { TurnEnd, TurnError, TurnEvent } from "../../dialect/turn-event.ts";
import { failure, type CallFailure } from "../call/call-failure.ts";
import type { CallTarget } from "../dial/call-target.ts";
import { upstreamErrorSaid } from "../dial/upstream-error.ts";
import type { Link, Stage } from "../relay/stage.ts";
import type { TranscodedCall } from "./transcoded-call.ts";

/** Whether a turn goes on in another dial, so that its caller hears of no end yet. */
export type GoesOn = (end: TurnEnd) => boolean;

/**
 * How far the turn of one dial is: open until its last event has come, over when the next
 * stage has heard of its end.
 */
export interface TurnState {
  phase: "open" | "paused" | "ended" | "over";
}

/** Whose turn it is, and who hears of it. */
type EndingCall = Pick<TranscodedCall, "target" | "answer">;

/**
 * Judges how the turn of an upstream ends: as it should, with an error, too early, or
 * not yet. What breaks off behind its last event has ended as it should.
 */
export function endTurn(
  state: TurnState,
  call: EndingCall,
  goesOn: GoesOn,
): Link<readonly TurnEvent[], readonly TurnEvent[]> {
  return (next) => new EndOfTurn(state, call, goesOn, next);
}

class EndOfTurn implements Stage<readonly TurnEvent[]> {
  readonly #state: TurnState;
  readonly #call: EndingCall;
  readonly #goesOn: GoesOn;
  readonly #next: Stage<readonly TurnEvent[]>;

  constructor(
    state: TurnState,
    call: EndingCall,
    goesOn: GoesOn,
    next: Stage<readonly TurnEvent[]>,
  ) {
    this.#state = state;
    this.#call = call;
    this.#goesOn = goesOn;
    this.#next = next;
  }

  push(events: readonly TurnEvent[]): boolean {
    const last = events.at(-1);
    switch (last?.type) {
      case "error":
        return this.#break(events, last.error);
      case "turn-end":
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

  #end(events: readonly TurnEvent[], end: TurnEnd): boolean {
    const goesOn = this.#goesOn(end);
    const mayGoOn = this.#next.push(goesOn ? events.slice(0, -1) : events);
    this.#state.phase = goesOn ? "paused" : "ended";
    return mayGoOn;
  }

  /** As long as a status can tell the error, nothing that came in one read with it is told. */
  #break(events: readonly TurnEvent[], error: TurnError): boolean {
    if (this.#call.answer.isStreaming) this.#next.push(events.slice(0, -1));
    this.fail(upstreamErrorSaid(this.#call.target, error));
    return true;
  }
}

function incomplete({ name }: CallTarget): CallFailure {
  return failure("upstream_incomplete", `The upstream \`${name}\` ended its answer too early.`);
}
