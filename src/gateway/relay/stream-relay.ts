import { joinedChunks } from "../../platform/joined-chunks.ts";
import type { Answer } from "../call/answer.ts";
import { failure, type CallFailure } from "../call/call-failure.ts";
import type { CallTarget } from "../dial/call-target.ts";
import { upstreamErrorEvent } from "../dial/upstream-error.ts";
import { firstEventData } from "./first-event-data.ts";
import type { Stage } from "./stage.ts";
import type { StreamWatch } from "./stream-watch.ts";

/** A frame larger than this is passed on in parts. */
const heldBytesAtMost = 256 * 1024;

/**
 * Passes a stream of events on as it is, whole frame by whole frame, so that a
 * frame of ours can always be put between two of them. Nothing is passed on
 * before the first event has come, because that may be an error, which becomes
 * an HTTP status. A stream that ends before its dialect's last event is reported
 * as broken off, however clean the end looks; one that lacks no more than the
 * terminator gets it.
 */
export class StreamRelay implements Stage<Buffer> {
  readonly #answer: Answer;
  readonly #target: CallTarget;
  readonly #watch: StreamWatch;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isTorn = false;

  constructor(answer: Answer, target: CallTarget, watch: StreamWatch) {
    this.#answer = answer;
    this.#target = target;
    this.#watch = watch;
    answer.meter = watch;
    answer.form = watch;
  }

  push(chunk: Buffer): boolean {
    const complete = this.#watch.push(chunk);
    if (this.#answer.isOpen) {
      if (!this.#watch.hasEvent) return this.#hold(chunk);
      if (this.#watch.beganWithError) return this.#failAtOnce(chunk);
    }
    return this.#pass(chunk, complete);
  }

  finish(): void {
    const closing = this.#watch.finish();
    if (closing === undefined) this.#answer.fail(incomplete(this.#target.name));
    else if (this.#answer.isOpen && this.#watch.beganWithError) this.#failAtOnce(Buffer.alloc(0));
    else {
      this.#flush();
      if (closing !== "") this.#answer.push(Buffer.from(closing));
      this.#end();
    }
  }

  fail(cause: CallFailure): void {
    if (this.#answer.isStreaming && this.#watch.hasSaidAll) this.#end();
    else this.#answer.fail(cause);
  }

  #end(): void {
    if (this.#watch.hasFailed) this.#answer.errorCode = "upstream_error";
    this.#answer.finish();
  }

  #failAtOnce(chunk: Buffer): boolean {
    this.#hold(chunk);
    const event = firstEventData(Buffer.concat(this.#held).toString());
    this.#answer.fail(upstreamErrorEvent(this.#target, event));
    return true;
  }

  /** Passes the complete frames on and keeps what follows the last of them. */
  #pass(chunk: Buffer, complete: number): boolean {
    if (complete === 0) return this.#isTorn ? this.#answer.push(chunk) : this.#hold(chunk);
    this.#answer.hasAnswer = true;
    this.#flush();
    this.#isTorn = false;
    this.#answer.setInsertable(!this.#watch.hasSaidAll);
    if (complete === chunk.length) return this.#answer.push(chunk);
    const mayGoOn = this.#answer.push(chunk.subarray(0, complete));
    return this.#hold(chunk.subarray(complete)) && mayGoOn;
  }

  #hold(chunk: Buffer): boolean {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes <= heldBytesAtMost) return true;
    this.#isTorn = true;
    this.#answer.setInsertable(false);
    return this.#flush();
  }

  #flush(): boolean {
    const held = this.#held;
    if (held.length === 0) return true;
    this.#held = [];
    this.#heldBytes = 0;
    return this.#answer.push(joinedChunks(held));
  }
}

function incomplete(name: string): CallFailure {
  return failure("upstream_incomplete", `The upstream \`${name}\` ended its answer too early.`);
}
