import { MalformedResponseError } from "../../dialect/codec.ts";
import { ApiError } from "../../platform/errors.ts";
import { InvalidUtf8EventError, SseEventTooLargeError } from "../../platform/sse/event-reader.ts";
import { createCallFailure, toCallFailure, type CallFailure } from "../call/call-failure.ts";
import type { ResolvedUpstream } from "../upstream/call-target.ts";
import type { StreamStageFactory, StreamStage } from "../pass-through/stage.ts";
import type { AttemptResponseState } from "./end-response.ts";
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

/** Bytes of an answer between two checks of its work. */
const sliceBytes = 16 * 1024;

/** Time that an answer of any size may take of the process. */
const baseWorkMs = 2000;

/** Time that each MiB of an answer adds. A usual answer takes a tenth of it. */
const workMsPerMebibyte = 250;

/** Whose answer is read, and who hears of a fault of ours. */
type GuardedCall = Pick<TranscodedCall, "target" | "reportInternalError">;

/**
 * Turns an exception of a later stage into the failure of the call, because a connection
 * handles only its own errors. Ignores everything after the last event of the turn.
 *
 * Also fails a call whose answer takes far more time of the process than its size explains:
 * no upstream can stop the calls of others, whatever its answer costs to translate. Only time
 * in which the process computes counts, not time in which it waits for a processor.
 */
export function createExceptionToFailureStage(
  state: AttemptResponseState,
  call: GuardedCall,
  now: () => number = readCpuMs,
): StreamStageFactory<Buffer, Buffer> {
  return (next) => new ResponseGuardStage(state, call, next, now);
}

/** Time that this thread has computed, in milliseconds; of all threads where Node counts only those. */
function readCpuMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1000;
}

class ResponseGuardStage implements StreamStage<Buffer> {
  readonly #state: AttemptResponseState;
  readonly #call: GuardedCall;
  readonly #next: StreamStage<Buffer>;
  readonly #now: () => number;
  #bytes = 0;
  #workMs = 0;

  constructor(
    state: AttemptResponseState,
    call: GuardedCall,
    next: StreamStage<Buffer>,
    now: () => number,
  ) {
    this.#state = state;
    this.#call = call;
    this.#next = next;
    this.#now = now;
  }

  push(chunk: Buffer): boolean {
    try {
      let isReady = true;
      for (let start = 0; start < chunk.length; start += sliceBytes) {
        if (this.#state.phase !== "open") return true;
        isReady = this.#pushSlice(chunk.subarray(start, start + sliceBytes)) && isReady;
      }
      return isReady;
    } catch (error) {
      this.#next.fail(causeOf(error, this.#call));
      return true;
    }
  }

  #pushSlice(slice: Buffer): boolean {
    const startedAt = this.#now();
    const isReady = this.#next.push(slice);
    this.#workMs += this.#now() - startedAt;
    this.#bytes += slice.length;
    const allowedMs = baseWorkMs + (workMsPerMebibyte * this.#bytes) / (1024 * 1024);
    if (this.#workMs > allowedMs) {
      throw new MalformedResponseError("sent an answer that takes too long to translate");
    }
    return isReady;
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
    error instanceof SseEventTooLargeError ||
    error instanceof InvalidUtf8EventError
  );
}

function malformed({ name }: ResolvedUpstream, fault: string): CallFailure {
  return createCallFailure("upstream_malformed", `The upstream \`${name}\` ${fault}.`);
}
