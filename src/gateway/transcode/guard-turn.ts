import { MalformedAnswer } from "../../dialect/codec.ts";
import { EventNotText, EventTooLarge } from "../../platform/sse/event-reader.ts";
import { failure, failureOf, type CallFailure } from "../call/call-failure.ts";
import type { CallTarget } from "../dial/call-target.ts";
import type { Link, Stage } from "../relay/stage.ts";
import type { TurnState } from "./end-turn.ts";
import type { TranscodedCall } from "./transcoded-call.ts";

/** An upstream's error in the place of an answer. */
export class AnsweredWithError extends Error {
  override readonly name = "AnsweredWithError";
  readonly failure: CallFailure;

  constructor(failure: CallFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Whose answer is read, and who hears of a fault of ours. */
type GuardedCall = Pick<TranscodedCall, "target" | "reportFault">;

/**
 * Turns what is thrown on the way into the failure of the call: the connection knows only
 * its own errors. What follows the last event of the turn is not looked at.
 */
export function guardTurn(state: TurnState, call: GuardedCall): Link<Buffer, Buffer> {
  return (next) => new TurnGuard(state, call, next);
}

class TurnGuard implements Stage<Buffer> {
  readonly #state: TurnState;
  readonly #call: GuardedCall;
  readonly #next: Stage<Buffer>;

  constructor(state: TurnState, call: GuardedCall, next: Stage<Buffer>) {
    this.#state = state;
    this.#call = call;
    this.#next = next;
  }

  push(chunk: Buffer): boolean {
    if (this.#state.phase !== "open") return true;
    try {
      return this.#next.push(chunk);
    } catch (error) {
      this.#next.fail(causeOf(error, this.#call));
      return true;
    }
  }

  finish(): void {
    try {
      this.#next.finish();
    } catch (error) {
      this.#next.fail(causeOf(error, this.#call));
    }
  }

  /** A turn that breaks off behind its end is written to its end, too. */
  fail(cause: CallFailure): void {
    try {
      this.#next.fail(cause);
    } catch (error) {
      this.#next.fail(causeOf(error, this.#call));
    }
  }
}

function causeOf(error: unknown, { target, reportFault }: GuardedCall): CallFailure {
  if (error instanceof AnsweredWithError) return error.failure;
  if (isMalformed(error)) return malformed(target, error.message);
  // V8 reads JSON of any depth; whoever walks through it has a stack.
  if (error instanceof RangeError) return malformed(target, "nests its answer too deep");
  reportFault(error);
  return failureOf(error);
}

function isMalformed(error: unknown): error is Error {
  return (
    error instanceof MalformedAnswer ||
    error instanceof EventTooLarge ||
    error instanceof EventNotText
  );
}

function malformed({ name }: CallTarget, fault: string): CallFailure {
  return failure("upstream_malformed", `The upstream \`${name}\` ${fault}.`);
}
