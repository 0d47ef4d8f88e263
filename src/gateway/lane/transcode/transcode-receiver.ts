import { MalformedAnswer } from "../../../dialect/codec.ts";
import type { TurnEnd, TurnEvent } from "../../../dialect/turn-event.ts";
import type { Usage } from "../../../dialect/usage.ts";
import { EventTooLarge } from "../../../platform/sse/event-reader.ts";
import { failure, type CallFailure } from "../../call-failure.ts";
import type { DialTarget } from "../../dial-target.ts";
import { upstreamErrorSaid } from "../../upstream-error.ts";
import type { Receiver } from "../receiver.ts";
import type { AnswerSink } from "./answer-sink.ts";
import type { AnswerSource } from "./answer-source.ts";

/** Who hears of an answer as it is transcoded. */
export interface AnswerTap {
  usage(usage: Usage): void;
  /** The turn ended; true: it goes on in another dial, and the caller hears no end yet. */
  ended(end: TurnEnd): boolean;
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
    if (!this.#isEnded) this.#read(() => this.#source.push(chunk));
    return this.#hasFailed || this.#sink.flush();
  }

  begin(): void {
    this.#sink.begin();
  }

  end(): void {
    if (!this.#isEnded) this.#read(() => this.#source.finish());
    if (this.#hasFailed || this.#goesOn) return;
    if (this.#isEnded) this.#sink.end();
    else this.#fail(incomplete(this.#target));
  }

  broken(cause: CallFailure): void {
    if (this.#hasFailed) return;
    if (this.#isEnded && !this.#goesOn) this.#sink.end();
    else this.#fail(cause);
  }

  #read(events: () => readonly TurnEvent[]): void {
    try {
      for (const event of events()) this.#take(event);
    } catch (error) {
      this.#fail(malformed(this.#target, error));
    }
  }

  #take(event: TurnEvent): void {
    if (this.#isEnded || this.#hasFailed) return;
    if (event.type === "usage") this.#tap.usage(event.usage);
    if (event.type === "error") this.#fail(upstreamErrorSaid(this.#target, event.error));
    else if (event.type === "turn-end") this.#end(event);
    else this.#sink.take(event);
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
}

function incomplete({ name }: DialTarget): CallFailure {
  return failure("upstream_incomplete", `The upstream \`${name}\` ended its answer too early.`);
}

/** Throws what is no fault of the upstream. */
function malformed({ name }: DialTarget, error: unknown): CallFailure {
  if (error instanceof EventTooLarge) {
    return failure(
      "upstream_malformed",
      `The upstream \`${name}\` sent an event of ${error.message}.`,
    );
  }
  if (error instanceof MalformedAnswer) {
    return failure("upstream_malformed", `The upstream \`${name}\` ${error.message}.`);
  }
  throw error;
}
