import { MalformedResponseError } from "../../dialect/codec.ts";
import { ApiError } from "../../platform/errors.ts";
import { EventEncodingError, EventTooLargeError } from "../../platform/sse/event-reader.ts";
import { callFailure, toCallFailure, type CallFailure } from "../call/call-failure.ts";
import type { CallTarget } from "../upstream/call-target.ts";
import type { StageFactory, Stage } from "../pass-through/stage.ts";
import type { ResponseProgress } from "./end-response.ts";
import type { TranscodedCall } from "./transcoded-call.ts";

/** An upstream's error in the place of an answer. */
export class UpstreamResponseError extends Error {
  override readonly name = "UpstreamResponseError";
  readonly failure: CallFailure;

  constructor(failure: CallFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Whose answer is read, and who hears of a fault of ours. */
type GuardedCall = Pick<TranscodedCall, "target" | "reportInternalError">;

/**
 * Turns what is thrown on the way into the failure of the call: the connection knows only
 * its own errors. What follows the last event of the turn is not looked at.
 */
export function guardResponse(
  state: ResponseProgress,
  call: GuardedCall,
): StageFactory<Buffer, Buffer> {
  return (next) => new ResponseGuardStage(state, call, next);
}

class ResponseGuardStage implements Stage<Buffer> {
  readonly #state: ResponseProgress;
  readonly #call: GuardedCall;
  readonly #next: Stage<Buffer>;

  constructor(state: ResponseProgress, call: GuardedCall, next: Stage<Buffer>) {
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

function causeOf(
  error: unknown,
  { target, reportInternalError: reportFault }: GuardedCall,
): CallFailure {
  if (error instanceof UpstreamResponseError) return error.failure;
  // The account may not hold so much.
  if (error instanceof ApiError) return toCallFailure(error);
  if (isMalformed(error)) return malformed(target, error.message);
  // V8 reads JSON of any depth; whoever walks through it has a stack.
  if (error instanceof RangeError) return malformed(target, "nests its answer too deep");
  reportFault(error);
  return toCallFailure(error);
}

function isMalformed(error: unknown): error is Error {
  return (
    error instanceof MalformedResponseError ||
    error instanceof EventTooLargeError ||
    error instanceof EventEncodingError
  );
}

function malformed({ name }: CallTarget, fault: string): CallFailure {
  return callFailure("upstream_malformed", `The upstream \`${name}\` ${fault}.`);
}
