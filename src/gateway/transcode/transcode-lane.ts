import type { Compaction } from "../../dialect/compaction.ts";
import type { Capabilities } from "../../dialect/capabilities.ts";
import type { EncodedRequest } from "../../dialect/codec.ts";
import type { TurnEnd, TurnEvent } from "../../dialect/turn-event.ts";
import type { Turn } from "../../dialect/turn.ts";
import { chooseStages, type AnswerForms } from "../relay/choose-stages.ts";
import { ErrorRelay } from "../relay/error-relay.ts";
import type { AnswerHead, Outbound } from "../dial/outbound.ts";
import type { Stage } from "../relay/stage.ts";
import { bodyStages, callerStages, streamStages, type DialledTurn } from "./answer-stages.ts";
import { continuedTurn, type ToldBefore } from "./continuation.ts";
import { learnFromRefusal } from "./learned-capabilities.ts";
import type { TranscodedCall } from "./transcoded-call.ts";
import { TurnMeter } from "./turn-meter.ts";

/** How often a vendor's own tools may ask for another turn before the answer counts as cut. */
const continuationsAtMost = 5;

/** Serves one transcoded call: what is dialled, and how each answer is read and told. */
export class TranscodeLane {
  readonly #parts: TranscodedCall;
  readonly #callerStages: Stage<readonly TurnEvent[]>;
  readonly #meter: TurnMeter;
  #turn: Turn;
  #capabilities: Capabilities;
  #encoded: EncodedRequest;
  /** What this dial asks for a summary of, and the summary once it is there. */
  #compaction: Compaction | undefined;
  #summary: string | undefined;
  #continuations = 0;
  #before: ToldBefore | undefined;
  #dialNext: AnswerHead["dialNext"] | undefined;

  constructor(parts: TranscodedCall) {
    this.#parts = parts;
    this.#turn = parts.turn;
    this.#compaction = parts.compaction;
    this.#capabilities = parts.capabilities;
    this.#encoded = parts.encoded;
    this.#callerStages = callerStages(parts);
    this.#meter = new TurnMeter(parts.answer);
  }

  /** What is to be dialled now. */
  outbound(): Outbound {
    const sent = this.#parts.dial(this.#encoded);
    return { ...sent, receive: (head) => this.receive(head) };
  }

  /** Takes an answer to what was dialled last. */
  receive(head: AnswerHead): Stage<Buffer> {
    this.#dialNext = head.dialNext;
    return chooseStages(head, this.#forms(head));
  }

  #forms(head: AnswerHead): AnswerForms {
    const { answer, target, call } = this.#parts;
    return {
      answer,
      target,
      expectsStream: call.isStream,
      stream: () => streamStages(this.#dialled()),
      body: () => bodyStages(this.#dialled()),
      error: () => this.#readError(head),
    };
  }

  #dialled(): DialledTurn {
    return {
      parts: this.#parts,
      recall: this.#encoded.recall,
      before: this.#before,
      meter: this.#meter,
      goesOn: (end) => this.#goesOn(end),
      takeSummary: this.#compaction && ((summary) => this.#takeSummary(summary)),
      callerStages: this.#callerStages,
    };
  }

  #goesOn(end: TurnEnd): boolean {
    const next = this.#compaction === undefined ? this.#continued(end) : this.#behindSummary();
    if (next === undefined) return false;
    this.#before = { parts: this.#meter.parts, usage: this.#parts.answer.usage };
    this.#turn = next;
    this.#dialAgain();
    return true;
  }

  #continued({ reason, resume }: TurnEnd): Turn | undefined {
    const isPaused = reason === "pause" && resume !== undefined;
    if (!isPaused || this.#continuations === continuationsAtMost) return undefined;
    this.#continuations += 1;
    return continuedTurn(this.#turn, this.#parts.to.dialect, resume);
  }

  #takeSummary(summary: string): string {
    this.#summary = summary;
    return this.#parts.sealSummary(summary);
  }

  /** What stands behind the place that was compacted is answered now. */
  #behindSummary(): Turn | undefined {
    const next = this.#summary === undefined ? undefined : this.#compaction?.goOn(this.#summary);
    this.#compaction = undefined;
    return next;
  }

  #dialAgain(): void {
    this.#encoded = this.#parts.encode(this.#turn, this.#capabilities);
    this.#dialNext?.(this.outbound());
  }

  #readError({ status, headers }: AnswerHead): Stage<Buffer> {
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
