import type { ConversationCompactionPlan } from "../../dialect/compaction.ts";
import type { ModelCapabilities } from "../../dialect/capabilities.ts";
import type { EncodedRequest } from "../../dialect/codec.ts";
import type { NeutralEnd, NeutralEvent } from "../../dialect/neutral-event.ts";
import type { NeutralRequest } from "../../dialect/neutral-request.ts";
import {
  chooseResponseStage,
  type ResponseStageFactories,
} from "../pass-through/choose-response-handler.ts";
import { UpstreamErrorRelay } from "../pass-through/error-relay.ts";
import type { UpstreamResponseHead, OutboundRequest } from "../upstream/outbound-request.ts";
import type { StreamStage } from "../pass-through/stage.ts";
import {
  createJsonBodyDecodingStage,
  createCallerResponseStage,
  createStreamDecodingStage,
  type TranscodedCallAttempt,
} from "./response-stages.ts";
import { buildPauseContinuationRequest, type SentResponseProgress } from "./continuation.ts";
import {
  learnCapabilitiesFromRefusal,
  rememberCapabilities,
  type LearnedCapabilities,
} from "./learned-capabilities.ts";
import type { TranscodedCall } from "./transcoded-call.ts";
import { TranscodedUsageMeter } from "./transcode-meter.ts";

/** How often a vendor's own tools may ask for another turn before the answer counts as cut. */
const maxContinuations = 5;

/** Serves one transcoded call: what is dialled, and how each answer is read and told. */
export class TranscodedCallHandler {
  readonly #parts: TranscodedCall;
  readonly #callerStages: StreamStage<readonly NeutralEvent[]>;
  readonly #meter: TranscodedUsageMeter;
  #turn: NeutralRequest;
  #capabilities: ModelCapabilities;
  /** Remembered if the upstream accepts the next request. */
  #lesson: LearnedCapabilities | undefined;
  #encoded: EncodedRequest;
  /** What this dial asks for a summary of, and the summary once it is there. */
  #compaction: ConversationCompactionPlan | undefined;
  #summary: string | undefined;
  #continuations = 0;
  #before: SentResponseProgress | undefined;
  #sendFollowUp: UpstreamResponseHead["sendFollowUp"] | undefined;

  constructor(parts: TranscodedCall) {
    this.#parts = parts;
    this.#turn = parts.request;
    this.#compaction = parts.compaction;
    this.#capabilities = parts.capabilities;
    this.#encoded = parts.encoded;
    this.#callerStages = createCallerResponseStage(parts);
    this.#meter = new TranscodedUsageMeter(parts.response, parts.call.hold);
  }

  /** What is to be dialled now. */
  outbound(): OutboundRequest {
    const sent = this.#parts.toOutboundRequest(this.#encoded);
    return { ...sent, maxFollowUps: this.#maxFollowUps, receive: (head) => this.receive(head) };
  }

  /** Takes an answer to what was dialled last. */
  receive(head: UpstreamResponseHead): StreamStage<Buffer> {
    this.#sendFollowUp = head.sendFollowUp;
    if (this.#lesson !== undefined && head.status < 400) {
      rememberCapabilities(this.#parts.target, this.#parts.model, this.#lesson);
      this.#lesson = undefined;
    }
    return chooseResponseStage(head, this.#forms(head));
  }

  /** One behind a summary, and those of a vendor that pauses while it runs tools of its own. */
  get #maxFollowUps(): number {
    const { tools, search } = this.#turn;
    const runsTools = search !== undefined || tools.some(({ type }) => type === "hosted");
    const canPause = runsTools && this.#parts.to.dialect === "dialect_messages";
    return (this.#compaction === undefined ? 0 : 1) + (canPause ? maxContinuations : 0);
  }

  #forms(head: UpstreamResponseHead): ResponseStageFactories {
    const { response: answer, target, call } = this.#parts;
    return {
      response: answer,
      target,
      expectsStream: call.isStream,
      stream: () => createStreamDecodingStage(this.#dialled()),
      body: () => createJsonBodyDecodingStage(this.#dialled()),
      error: () => this.#readError(head),
    };
  }

  #dialled(): TranscodedCallAttempt {
    return {
      parts: this.#parts,
      restoreInfo: this.#encoded.restoreInfo,
      sentBefore: this.#before,
      meter: this.#meter,
      hasFollowUp: (end) => this.#hasFollowUp(end),
      takeSummary: this.#compaction && ((summary) => this.#takeSummary(summary)),
      callerStages: this.#callerStages,
    };
  }

  #hasFollowUp(end: NeutralEnd): boolean {
    const next = this.#compaction === undefined ? this.#continued(end) : this.#behindSummary();
    if (next === undefined) return false;
    this.#before = { parts: this.#meter.parts, usage: this.#parts.response.usage };
    this.#turn = next;
    this.#continueResponse();
    return true;
  }

  #continued({ reason, resume }: NeutralEnd): NeutralRequest | undefined {
    const isPaused = reason === "pause" && resume !== undefined;
    if (!isPaused || this.#continuations === maxContinuations) return undefined;
    this.#continuations += 1;
    return buildPauseContinuationRequest(this.#turn, this.#parts.to.dialect, resume);
  }

  #takeSummary(summary: string): string {
    this.#summary = summary;
    return this.#parts.sealSummary(summary);
  }

  /** What stands behind the place that was compacted is answered now. */
  #behindSummary(): NeutralRequest | undefined {
    const next =
      this.#summary === undefined ? undefined : this.#compaction?.continueWith(this.#summary);
    this.#compaction = undefined;
    return next;
  }

  #continueResponse(): void {
    this.#encoded = this.#parts.encode(this.#turn, this.#capabilities);
    this.#sendFollowUp?.(this.outbound());
  }

  #readError({ status, headers }: UpstreamResponseHead): StreamStage<Buffer> {
    const { response: answer, target } = this.#parts;
    const reconsider = (refusal: string): boolean => status === 400 && this.#learn(refusal);
    return new UpstreamErrorRelay(answer, target, status, headers, reconsider);
  }

  /** True: the refusal was about something that we added, and the call is made once more without. */
  #learn(refusal: string): boolean {
    const lesson = learnCapabilitiesFromRefusal(this.#capabilities, refusal);
    if (lesson === undefined) return false;
    this.#lesson = { ...this.#lesson, ...lesson };
    this.#capabilities = { ...this.#capabilities, ...lesson };
    this.#continueResponse();
    return true;
  }
}
