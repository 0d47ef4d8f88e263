import type { DialectOperation } from "../../dialect/dialect-surface.ts";
import type { TokenUsage } from "../../dialect/usage.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import type { ResponseUsageMeter } from "../call/usage-meter.ts";
import { createCallFailure, type CallFailure } from "../call/call-failure.ts";
import type { ResolvedUpstream } from "../upstream/call-target.ts";
import type { ModelCall } from "../call/model-call.ts";
import { ByteCollector } from "../../platform/byte-collector.ts";
import { estimateTextTokens } from "../call/text-length.ts";
import { extractTokenUsageFromText, type TokenUsageFormat } from "../call/extract-usage.ts";
import { createOkStatusErrorFailure } from "../upstream/upstream-error.ts";
import type { ExactUsageReader } from "./exact-usage.ts";
import { RelayedBodyHeadAndTail } from "./body-head-and-tail.ts";
import { firstNonBlankByte, isErrorShapedJsonBody, lastNonBlankByte } from "./body-shape.ts";
import type { StreamStage } from "./stage.ts";

/** Up to this size an answer is held until it is whole, so that a broken one can still be refused. */
const maxBufferedBytes = 256 * 1024;

/** Up to this size it goes out as the text that its usage is read from. */
const maxTextBytes = 8 * 1024;

const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Passes a JSON answer on: in one piece when it is small, else as it comes. */
export class JsonResponseBodyRelay implements StreamStage<Buffer>, ResponseUsageMeter {
  readonly #call: ModelCall;
  readonly #response: CallerResponse;
  readonly #target: ResolvedUpstream;
  readonly #status: number;
  readonly #contentType: string;
  readonly #length: string | undefined;
  readonly #exactUsage: ExactUsageReader | undefined;
  /** All that has come, while it is held. */
  readonly #buffered = new ByteCollector();
  /** A small body that has been passed on. */
  #whole: string | undefined;
  /** Of a body that is passed on as it comes. */
  #ends: RelayedBodyHeadAndTail | undefined;

  /**
   * `length`: the upstream's `content-length`, if it sent one; `exactUsage`: of an answer that
   * is paid from credits.
   */
  constructor(
    call: ModelCall,
    answer: CallerResponse,
    target: ResolvedUpstream,
    status: number,
    contentType: string,
    length: string | undefined,
    exactUsage: ExactUsageReader | undefined,
  ) {
    this.#exactUsage = exactUsage;
    this.#response = answer;
    this.#target = target;
    this.#status = status;
    this.#contentType = contentType;
    this.#length = length;
    this.#call = call;
    answer.meter = this;
  }

  push(chunk: Buffer): boolean {
    this.#exactUsage?.push(chunk);
    if (this.#ends !== undefined) return this.#pass(chunk, this.#ends);
    this.#buffered.push(chunk);
    return this.#buffered.length <= maxBufferedBytes || this.#flushBuffered();
  }

  finish(): void {
    const cause = (this.#response.isOpen ? this.#findFault() : undefined) ?? this.#findCut();
    if (cause !== undefined) this.#response.fail(cause);
    else if (!this.#response.isOpen) this.#response.finish();
    else this.#send();
  }

  fail(cause: CallFailure): void {
    this.#response.fail(cause);
  }

  #send(): void {
    const [status, contentType] = [this.#status, this.#contentType];
    if (this.#buffered.length > maxTextBytes) {
      this.#response.send(status, contentType, this.#buffered.bytes);
      return;
    }
    this.#whole = this.#text();
    this.#response.sendText(status, contentType, this.#whole);
  }

  #pass(chunk: Buffer, ends: RelayedBodyHeadAndTail): boolean {
    ends.push(chunk);
    return this.#response.push(chunk);
  }

  #flushBuffered(): boolean {
    const cause = this.#findFault();
    if (cause !== undefined) {
      this.#response.fail(cause);
      return true;
    }
    this.#response.beginBody(this.#status, this.#contentType, this.#length);
    const begun = this.#buffered.take();
    this.#ends = new RelayedBodyHeadAndTail(begun);
    return this.#pass(begun, this.#ends);
  }

  readUsage(): TokenUsage | undefined {
    if (this.#exactUsage !== undefined) return this.#exactUsage.usage;
    return extractTokenUsageFromText(toTokenUsageFormat(this.#call.surface), this.#text());
  }

  relayedTokens(): number {
    return this.#call.surface.isConversation ? estimateTextTokens(this.#response.bytes) : 0;
  }

  /**
   * What is still here of the body: all of a small one, the end of a large one. Where it
   * holds nothing that a model has said, its beginning may tell the usage as well.
   */
  #text(): string {
    if (this.#whole !== undefined) return this.#whole;
    if (this.#ends === undefined) return this.#buffered.bytes.toString("latin1");
    const { head, tail } = this.#ends;
    return this.#call.surface.isConversation ? tail : `${head}\n${tail}`;
  }

  #findFault(): CallFailure | undefined {
    if (firstNonBlankByte(this.#buffered.bytes) !== openBrace) {
      return malformed(this.#target, "did not answer with a JSON object");
    }
    if (!isErrorShapedJsonBody(this.#buffered.bytes)) return undefined;
    return createOkStatusErrorFailure(this.#target, this.#buffered.bytes.toString());
  }

  /** The end of a body without a length shows in nothing but its last byte. */
  #findCut(): CallFailure | undefined {
    const end =
      this.#ends === undefined ? this.#buffered.bytes : Buffer.from(this.#ends.tail, "latin1");
    if (lastNonBlankByte(end) === closeBrace) return undefined;
    return malformed(this.#target, "sent JSON that is cut off");
  }
}

/** Who tells the usage of a body. */
export function toTokenUsageFormat({
  dialect,
  isConversation,
}: DialectOperation): TokenUsageFormat {
  return isConversation ? dialect : "embeddings";
}

function malformed({ name }: ResolvedUpstream, fault: string): CallFailure {
  return createCallFailure("upstream_malformed", `The upstream \`${name}\` ${fault}.`);
}
