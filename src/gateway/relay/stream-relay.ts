import { joinedChunks } from "../../platform/joined-chunks.ts";
import { FrameTracker } from "../../platform/sse/frame-tracker.ts";
import type { DialectError } from "../../dialect/dialect-error.ts";
import type { Usage } from "../../dialect/usage.ts";
import type { Answer } from "../call/answer.ts";
import type { AnswerMeter } from "../call/answer-meter.ts";
import { failure, type CallFailure } from "../call/call-failure.ts";
import type { DialTarget } from "../dial/dial-target.ts";
import type { ModelCall } from "../call/model-call.ts";
import { usageInEvents } from "../call/usage-in-text.ts";
import { upstreamErrorEvent } from "../dial/upstream-error.ts";
import { ByteTail } from "./byte-tail.ts";
import { firstEventData } from "./first-event-data.ts";
import type { Receiver } from "./receiver.ts";

const nothing = Buffer.alloc(0);

/** As much of the beginning as holds the first event. */
const headBytes = 2048;

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
export class StreamRelay implements Receiver, AnswerMeter {
  readonly #call: ModelCall;
  readonly #answer: Answer;
  readonly #target: DialTarget;
  readonly #status: number;
  readonly #contentType: string;
  readonly #tracker: FrameTracker;
  readonly #tail = new ByteTail();
  /** Where messages tells the input tokens. */
  #head: Buffer = nothing;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isTorn = false;
  isEmpty = true;

  constructor(
    call: ModelCall,
    answer: Answer,
    target: DialTarget,
    status: number,
    contentType: string,
  ) {
    this.#call = call;
    this.#answer = answer;
    this.#target = target;
    this.#status = status;
    this.#contentType = contentType;
    this.#tracker = new FrameTracker(call.surface.readLine);
    answer.meter = this;
  }

  readUsage(): Usage | undefined {
    const text = `${this.#head.toString("latin1")}\n${this.#tail.toString()}`;
    return usageInEvents(this.#call.surface.dialect, text);
  }

  /** An event of a stream holds a token, as a rule. */
  relayedTokens(): number {
    return this.#tracker.events;
  }

  data(chunk: Buffer): boolean {
    if (this.isEmpty) this.#head = chunk.subarray(0, headBytes);
    this.isEmpty = false;
    this.#tail.push(chunk);
    const complete = this.#tracker.push(chunk);
    if (this.#answer.isOpen) {
      if (this.#tracker.events === 0) return this.#hold(chunk);
      if (this.#tracker.beganWithError) return this.#failAtOnce(chunk);
      this.begin();
    }
    return this.#pass(chunk, complete);
  }

  begin(): void {
    if (this.#answer.isOpen) this.#answer.beginStream(this.#status, this.#contentType);
  }

  end(): void {
    const lacksBlankLine = this.#tracker.finish();
    if (!this.#isWhole()) {
      this.#answer.fail(incomplete(this.#target.name), this.#printError);
    } else if (this.#answer.isOpen && this.#tracker.beganWithError) {
      this.#failAtOnce(Buffer.alloc(0));
    } else {
      this.begin();
      this.#flush();
      this.#complete(lacksBlankLine);
      this.#finish();
    }
  }

  broken(cause: CallFailure): void {
    if (this.#answer.isStreaming && this.#hasSaidAll()) this.#finish();
    else this.#answer.fail(cause, this.#printError);
  }

  readonly #printError = (error: DialectError): string =>
    this.#call.surface.printStreamError(error, this.#tail.toString());

  /** Its dialect's last event, or an error, has come. */
  #hasSaidAll(): boolean {
    return this.#tracker.ended || this.#tracker.failed;
  }

  #isWhole(): boolean {
    return this.#hasSaidAll() || this.#call.surface.isWhole(this.#tail.toString());
  }

  /** Adds what the upstream left out behind its last event. */
  #complete(lacksBlankLine: boolean): void {
    const closing = this.#call.surface.closing({ sawEnd: this.#hasSaidAll(), lacksBlankLine });
    if (closing !== "") this.#answer.write(Buffer.from(closing));
  }

  #finish(): void {
    if (this.#tracker.failed) this.#answer.errorCode = "upstream_error";
    this.#answer.end();
  }

  #failAtOnce(chunk: Buffer): boolean {
    this.#hold(chunk);
    const event = firstEventData(Buffer.concat(this.#held).toString());
    this.#answer.fail(upstreamErrorEvent(this.#target, event));
    return true;
  }

  /** Passes the complete frames on and keeps what follows the last of them. */
  #pass(chunk: Buffer, complete: number): boolean {
    if (complete === 0) return this.#isTorn ? this.#answer.write(chunk) : this.#hold(chunk);
    this.#answer.hasAnswer = true;
    this.#flush();
    this.#isTorn = false;
    this.#answer.setInsertable(!this.#hasSaidAll());
    if (complete === chunk.length) return this.#answer.write(chunk);
    const mayGoOn = this.#answer.write(chunk.subarray(0, complete));
    return this.#hold(chunk.subarray(complete)) && mayGoOn;
  }

  #hold(chunk: Buffer): boolean {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes <= heldBytesAtMost) return true;
    this.begin();
    this.#isTorn = true;
    this.#answer.setInsertable(false);
    return this.#flush();
  }

  #flush(): boolean {
    const held = this.#held;
    if (held.length === 0) return true;
    this.#held = [];
    this.#heldBytes = 0;
    return this.#answer.write(joinedChunks(held));
  }
}

function incomplete(name: string): CallFailure {
  return failure("upstream_incomplete", `The upstream \`${name}\` ended its answer too early.`);
}
