import { MalformedAnswer } from "../../dialect/codec.ts";
import type { TurnEnd, TurnEvent } from "../../dialect/turn-event.ts";
import type { Usage } from "../../dialect/usage.ts";
import { EventNotText, EventTooLarge } from "../../platform/sse/event-reader.ts";
import { failure, failureOf, type CallFailure } from "../call/call-failure.ts";
import type { DialTarget } from "../dial/dial-target.ts";
import { upstreamErrorSaid } from "../dial/upstream-error.ts";
import type { Receiver } from "../relay/receiver.ts";
import type { AnswerSink } from "./answer-sink.ts";
import { AnsweredWithError, type AnswerSource } from "./answer-source.ts";

/** Who hears of an answer as it is transcoded. */
export interface AnswerTap {
  /** What the upstream told of its usage; the answer is what the caller is told. */
  usage(usage: Usage): Usage;
  /** The turn ended; true: it goes on in another dial, and the caller hears no end yet. */
  ended(end: TurnEnd): boolean;
  /** A piece of the answer was read. */
  relayed(): void;
  /** A fault of ours. */
  fault(error: unknown): void;
}

/**
 * Reads an upstream's answer, whatever form it has, and gives it to the caller in
 * the form that was asked for. What follows the last event is not looked at.
 */
export class TranscodeReceiver implements Receiver {
  readonly #target: DialTarget;
  readonly #source: AnswerSource;
  readonly #sink: AnswerSink;
  readonly #tap: AnswerTap;
  #isEnded = false;
  #goesOn = false;
  #hasFailed = false;
  isEmpty = true;

  constructor(target: DialTarget, source: AnswerSource, sink: AnswerSink, tap: AnswerTap) {
    this.#target = target;
    this.#source = source;
    this.#sink = sink;
    this.#tap = tap;
  }

  data(chunk: Buffer): boolean {
    this.isEmpty = false;
    if (!this.#isEnded) this.#guard(() => this.#takeAll(this.#source.push(chunk)));
    return this.#hasFailed || this.#sink.flush();
  }

  begin(): void {
    this.#sink.begin();
  }

  end(): void {
    if (!this.#isEnded) this.#guard(() => this.#takeAll(this.#source.finish()));
    if (this.#hasFailed || this.#goesOn) return;
    if (this.#isEnded) this.#guard(() => this.#sink.end());
    else this.#fail(incomplete(this.#target));
  }

  broken(cause: CallFailure): void {
    if (this.#hasFailed) return;
    if (this.#isEnded && !this.#goesOn) this.#guard(() => this.#sink.end());
    else this.#fail(cause);
  }

  /** Nothing thrown here may reach the connection, which knows only its own errors. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(this.#failureOf(error));
    }
  }

  #takeAll(events: readonly TurnEvent[]): void {
    for (const event of events) this.#take(event);
  }

  #take(event: TurnEvent): void {
    if (this.#isEnded || this.#hasFailed) return;
    switch (event.type) {
      case "error":
        this.#fail(upstreamErrorSaid(this.#target, event.error));
        return;
      case "turn-end":
        this.#end(event);
        return;
      case "usage":
        this.#sink.take({ type: "usage", usage: this.#tap.usage(event.usage) });
        return;
      default:
        if (event.type === "part-delta") this.#tap.relayed();
        this.#sink.take(event);
    }
  }

  #end(event: TurnEnd): void {
    this.#isEnded = true;
    this.#goesOn = this.#tap.ended(event);
    if (!this.#goesOn) this.#sink.take(event);
  }

  #fail(cause: CallFailure): void {
    this.#hasFailed = true;
    this.#sink.fail(cause);
  }

  #failureOf(error: unknown): CallFailure {
    const { name } = this.#target;
    if (error instanceof AnsweredWithError) return error.failure;
    if (isMalformed(error)) {
      return failure("upstream_malformed", `The upstream \`${name}\` ${error.message}.`);
    }
    // V8 reads JSON of any depth; whoever walks through it has a stack.
    if (error instanceof RangeError) {
      return failure("upstream_malformed", `The upstream \`${name}\` nests its answer too deep.`);
    }
    this.#tap.fault(error);
    return failureOf(error);
  }
}

function isMalformed(error: unknown): error is Error {
  return (
    error instanceof MalformedAnswer ||
    error instanceof EventTooLarge ||
    error instanceof EventNotText
  );
}

function incomplete({ name }: DialTarget): CallFailure {
  return failure("upstream_incomplete", `The upstream \`${name}\` ended its answer too early.`);
}
