import type { DialectErrorCode } from "../../platform/errors.ts";
import { ByteCollector } from "../../platform/byte-collector.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import { createCallFailure, type CallFailure } from "../call/call-failure.ts";
import type { ResolvedUpstream } from "../upstream/call-target.ts";
import { createErrorEventFailure } from "../upstream/upstream-error.ts";
import { extractFirstSseEventData } from "./first-event-data.ts";
import type { StreamStage } from "./stage.ts";
import type { PassThroughStreamObserver } from "./stream-observer.ts";

/** A frame larger than this is passed on in parts. */
const maxBufferedBytes = 256 * 1024;

/**
 * Passes a stream of events on as it is, whole frame by whole frame, so that a
 * frame of ours can always be put between two of them. Nothing is passed on
 * before the first event has come, because that may be an error, which becomes
 * an HTTP status. A stream that ends before its dialect's last event is reported
 * as broken off, however clean the end looks; one that lacks no more than the
 * terminator gets it.
 */
export class EventStreamRelay implements StreamStage<Buffer> {
  readonly #response: CallerResponse;
  readonly #target: ResolvedUpstream;
  readonly #watch: PassThroughStreamObserver;
  readonly #buffered = new ByteCollector();
  #isMidFrame = false;

  constructor(answer: CallerResponse, target: ResolvedUpstream, watch: PassThroughStreamObserver) {
    this.#response = answer;
    this.#target = target;
    this.#watch = watch;
    answer.meter = watch;
    answer.form = watch;
  }

  push(chunk: Buffer): boolean {
    const complete = this.#watch.push(chunk);
    if (this.#response.isOpen) {
      if (!this.#watch.hasEvent) return this.#hold(chunk);
      if (this.#watch.beganWithError) return this.#failAtOnce(chunk);
    }
    return this.#pass(chunk, complete);
  }

  finish(): void {
    const closing = this.#watch.finish();
    if (closing === undefined) this.#response.fail(incomplete(this.#target.name));
    else if (this.#response.isOpen && this.#watch.beganWithError) this.#failAtOnce(Buffer.alloc(0));
    else {
      this.#flush();
      if (closing !== "") this.#response.push(Buffer.from(closing));
      this.#end();
    }
  }

  fail(cause: CallFailure): void {
    if (this.#response.isStreaming && this.#watch.isComplete) this.#end();
    else this.#response.fail(cause);
  }

  #end(): void {
    if (this.#watch.hasFailed)
      this.#response.errorCode = "upstream_error" satisfies DialectErrorCode;
    this.#response.finish();
  }

  #failAtOnce(chunk: Buffer): boolean {
    this.#hold(chunk);
    const event = extractFirstSseEventData(this.#buffered.take().toString());
    this.#response.fail(createErrorEventFailure(this.#target, event));
    return true;
  }

  /** Passes the complete frames on and keeps what follows the last of them. */
  #pass(chunk: Buffer, complete: number): boolean {
    if (complete === 0) return this.#isMidFrame ? this.#response.push(chunk) : this.#hold(chunk);
    this.#response.hasBody = true;
    this.#flush();
    this.#isMidFrame = false;
    this.#response.setInsertable(!this.#watch.isComplete);
    if (complete === chunk.length) return this.#response.push(chunk);
    const mayGoOn = this.#response.push(chunk.subarray(0, complete));
    return this.#hold(chunk.subarray(complete)) && mayGoOn;
  }

  #hold(chunk: Buffer): boolean {
    this.#buffered.push(chunk);
    if (this.#buffered.length <= maxBufferedBytes) return true;
    this.#isMidFrame = true;
    this.#response.setInsertable(false);
    return this.#flush();
  }

  #flush(): boolean {
    return this.#buffered.length === 0 || this.#response.push(this.#buffered.take());
  }
}

function incomplete(name: string): CallFailure {
  return createCallFailure(
    "upstream_incomplete",
    `The upstream \`${name}\` ended its answer too early.`,
  );
}
