import type { AnswerMeter } from "../call/answer-meter.ts";
import type { Capabilities } from "../../dialect/capabilities.ts";
import type { AnswerContext, Codec, EncodedRequest, UpstreamContext } from "../../dialect/codec.ts";
import type { JsonObject } from "../../dialect/json.ts";
import type { Loss } from "../../dialect/loss.ts";
import { restoreCalls } from "../../dialect/restore-calls.ts";
import { stepEach } from "../../dialect/step-machine.ts";
import type { TurnAnswer } from "../../dialect/turn-answer.ts";
import type { TurnEnd, TurnEvent } from "../../dialect/turn-event.ts";
import type { Turn } from "../../dialect/turn.ts";
import { mergeUsage, sumUsage, type Usage } from "../../dialect/usage.ts";
import type { Answer } from "../call/answer.ts";
import type { DialTarget } from "../dial/dial-target.ts";
import type { ModelCall } from "../call/model-call.ts";
import { upstreamErrorInBody } from "../dial/upstream-error.ts";
import { chooseReceiver, type AnswerForms } from "../relay/choose-receiver.ts";
import { ErrorRelay } from "../relay/error-relay.ts";
import type { AnswerHead, Outbound } from "../dial/outbound.ts";
import type { Receiver } from "../relay/receiver.ts";
import { BodySink, StreamSink, type AnswerSink } from "./answer-sink.ts";
import { AnsweredWithError, bodySource, streamSource, type AnswerSource } from "./answer-source.ts";
import { continuedSource, continuedTurn } from "./continuation.ts";
import { KeepingSink } from "./keeping-sink.ts";
import { learnFromRefusal } from "./learned-capabilities.ts";
import { ThoughtSink, type RememberThoughts } from "./thought-sink.ts";
import { TranscodeReceiver, type AnswerTap } from "./transcode-receiver.ts";

/** How often a vendor's own tools may ask for another turn before the answer counts as cut. */
const continuationsAtMost = 5;

/** One call between two dialects, or in one whose upstream answered in the other form. */
export interface TranscodedCall {
  readonly call: ModelCall;
  readonly answer: Answer;
  readonly target: DialTarget;
  /** The caller's dialect. */
  readonly from: Codec;
  /** The upstream's dialect. */
  readonly to: Codec;
  readonly turn: Turn;
  readonly context: AnswerContext;
  /** The id that the upstream knows. */
  readonly model: string;
  readonly capabilities: Capabilities;
  /** The first dial. */
  readonly encoded: EncodedRequest;
  /** Writes the turn anew, with capabilities that were learned or with more said. */
  readonly encode: (turn: Turn, capabilities: Capabilities) => EncodedRequest;
  /** What one dial sends. */
  readonly dial: (encoded: EncodedRequest) => Omit<Outbound, "receive">;
  readonly reportFault: (error: unknown) => void;
  /** Keeps the answer for later calls; never rejects. Undefined: it is not to be kept. */
  readonly keep: ((answer: TurnAnswer) => Promise<void>) | undefined;
  /** Remembers thoughts for a caller who may not send them back; undefined: it always does. */
  readonly remember: RememberThoughts | undefined;
}

/** Serves one transcoded call: what is dialled, and how each answer is read and told. */
export class TranscodeLane implements AnswerTap, AnswerMeter {
  readonly #parts: TranscodedCall;
  readonly #sink: AnswerSink;
  #turn: Turn;
  #capabilities: Capabilities;
  #encoded: EncodedRequest;
  #continuations = 0;
  /** Parts that the caller has been told of, and how many of them before this dial. */
  #partCount = 0;
  #partsBefore = 0;
  /** A token each, as a rule, of a stream. */
  #pieces = 0;
  #usageBefore: Usage | undefined;
  #usage: Usage | undefined;
  #dialNext: AnswerHead["dialNext"] | undefined;

  constructor(parts: TranscodedCall) {
    this.#parts = parts;
    this.#turn = parts.turn;
    this.#capabilities = parts.capabilities;
    this.#encoded = parts.encoded;
    this.#sink = sinkOf(parts);
    parts.answer.meter = this;
  }

  /** The call knows it already: this lane reads every answer. */
  readUsage(): Usage | undefined {
    return this.#usage;
  }

  relayedTokens(): number {
    return this.#pieces;
  }

  /** What is to be dialled now. */
  outbound(): Outbound {
    const sent = this.#parts.dial(this.#encoded);
    return { ...sent, receive: (head) => this.receive(head) };
  }

  /** Takes an answer to what was dialled last. */
  receive(head: AnswerHead): Receiver {
    this.#dialNext = head.dialNext;
    return chooseReceiver(head, this.#forms(head));
  }

  usage(usage: Usage): Usage {
    this.#usage = mergeUsage(this.#usage, usage);
    const before = this.#usageBefore;
    const whole = before === undefined ? this.#usage : sumUsage(before, this.#usage);
    this.#parts.answer.usage = whole;
    return whole;
  }

  ended({ reason, resume }: TurnEnd): boolean {
    const isPaused = reason === "pause" && resume !== undefined;
    if (!isPaused || this.#continuations === continuationsAtMost) return false;
    this.#continuations += 1;
    this.#usageBefore = this.#parts.answer.usage;
    this.#usage = undefined;
    this.#partsBefore = this.#partCount;
    this.#turn = continuedTurn(this.#turn, this.#parts.to.dialect, resume);
    this.#dialAgain();
    return true;
  }

  relayed(): void {
    this.#pieces += 1;
    this.#parts.answer.hasAnswer = true;
  }

  fault(error: unknown): void {
    this.#parts.reportFault(error);
  }

  #dialAgain(): void {
    this.#encoded = this.#parts.encode(this.#turn, this.#capabilities);
    this.#dialNext?.(this.outbound());
  }

  #forms(head: AnswerHead): AnswerForms {
    const { answer, target, call, turn, to } = this.#parts;
    const upstream = { stop: turn.stop?.value ?? [] };
    return {
      answer,
      target,
      expectsStream: call.isStream,
      stream: () => this.#read(streamSource(to.decodeStream(upstream))),
      body: () => this.#read(bodySource((body) => this.#decodeBody(body, upstream))),
      error: () => this.#readError(head),
    };
  }

  #read(source: AnswerSource): Receiver {
    const restored = this.#restored(source);
    const before = this.#partsBefore;
    const whole = before === 0 ? restored : continuedSource(restored, before);
    return new TranscodeReceiver(this.#parts.target, whole, this.#sink, this);
  }

  /** Undoes on the way what the encoder renamed and wrapped. */
  #restored(source: AnswerSource): AnswerSource {
    const restorer = restoreCalls(this.#encoded.recall, this.#parts.context.id);
    const state = restorer.start();
    const restore = (event: TurnEvent): readonly TurnEvent[] => {
      if (event.type === "part-start") this.#partCount += 1;
      return restorer.step(state, event);
    };
    return {
      push: (chunk) => stepEach(source.push(chunk), restore),
      finish: () => stepEach(source.finish(), restore),
    };
  }

  #decodeBody(body: JsonObject, upstream: UpstreamContext): readonly TurnEvent[] {
    const { to, target, answer } = this.#parts;
    if (isErrorObject(body)) {
      throw new AnsweredWithError(upstreamErrorInBody(target, JSON.stringify(body)));
    }
    answer.losses = [...answer.losses, ...to.lostInAnswer(body).map(unsupported)];
    return to.decodeAnswer(body, upstream);
  }

  #readError({ status, headers }: AnswerHead): Receiver {
    const { answer, target } = this.#parts;
    const reconsider = (refusal: string): boolean => status === 400 && this.#learn(refusal);
    return new ErrorRelay(answer, target, status, headers, reconsider);
  }

  /** True: the refusal was about something that we added, and the call is made once more without. */
  #learn(refusal: string): boolean {
    const { target, model } = this.#parts;
    const lesson = learnFromRefusal(target, model, this.#capabilities, refusal);
    if (lesson === undefined) return false;
    this.#capabilities = { ...this.#capabilities, ...lesson };
    this.#dialAgain();
    return true;
  }
}

function sinkOf(parts: TranscodedCall): AnswerSink {
  const { call, answer, from, context, keep, remember } = parts;
  const sink = call.isStream
    ? new StreamSink(answer, from.encodeStream(context))
    : new BodySink(answer, (whole) => from.encodeAnswer(whole, context));
  if (remember !== undefined) return new ThoughtSink(sink, context.envelope, remember);
  return keep === undefined ? sink : new KeepingSink(sink, keep);
}

function unsupported(path: string): Loss {
  return { path, action: "dropped", reason: "unsupported" };
}

/** An error in the place of an answer: `{"type": "error", …}`, or `{"error": …}` and no answer. */
function isErrorObject(body: JsonObject): boolean {
  const { error, type } = body;
  if (type === "error") return true;
  const isSaid = typeof error === "object" ? error !== null : typeof error === "string";
  return isSaid && !("choices" in body) && !("output" in body) && !("content" in body);
}
