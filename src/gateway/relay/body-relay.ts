import type { Usage } from "../../dialect/usage.ts";
import type { Answer } from "../call/answer.ts";
import type { AnswerMeter } from "../call/answer-meter.ts";
import { failure, type CallFailure } from "../call/call-failure.ts";
import type { CallTarget } from "../dial/call-target.ts";
import type { ModelCall } from "../call/model-call.ts";
import { joinedChunks } from "../../platform/joined-chunks.ts";
import { estimatedTokens } from "../call/text-length.ts";
import { usageInBody, usageInText } from "../call/usage-in-text.ts";
import { upstreamErrorInBody } from "../dial/upstream-error.ts";
import { BodyEnds } from "./body-ends.ts";
import { firstByteOf, isErrorBody, lastByteOf } from "./body-shape.ts";
import type { Stage } from "./stage.ts";

/** Up to this size an answer is held until it is whole, so that a broken one can still be refused. */
const heldBytesAtMost = 256 * 1024;

/** Up to this size it goes out as the text that its usage is read from. */
const textBytesAtMost = 8 * 1024;

const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Passes a JSON answer on: in one piece when it is small, else as it comes. */
export class BodyRelay implements Stage<Buffer>, AnswerMeter {
  readonly #call: ModelCall;
  readonly #answer: Answer;
  readonly #target: CallTarget;
  readonly #status: number;
  readonly #contentType: string;
  readonly #length: string | undefined;
  /** All that has come, while it is held. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** A small body that has been passed on. */
  #whole: string | undefined;
  /** Of a body that is passed on as it comes. */
  #ends: BodyEnds | undefined;

  /** `length`: the upstream's `content-length`, if it sent one. */
  constructor(
    call: ModelCall,
    answer: Answer,
    target: CallTarget,
    status: number,
    contentType: string,
    length: string | undefined,
  ) {
    this.#answer = answer;
    this.#target = target;
    this.#status = status;
    this.#contentType = contentType;
    this.#length = length;
    this.#call = call;
    answer.meter = this;
  }

  push(chunk: Buffer): boolean {
    if (this.#ends !== undefined) return this.#pass(chunk, this.#ends);
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    return this.#heldBytes <= heldBytesAtMost || this.#passHeld();
  }

  finish(): void {
    const cause = (this.#answer.isOpen ? this.#findFault() : undefined) ?? this.#findCut();
    if (cause !== undefined) this.#answer.fail(cause);
    else if (!this.#answer.isOpen) this.#answer.finish();
    else this.#send();
  }

  fail(cause: CallFailure): void {
    this.#answer.fail(cause);
  }

  #send(): void {
    const [status, contentType] = [this.#status, this.#contentType];
    if (this.#heldBytes > textBytesAtMost) {
      this.#answer.send(status, contentType, this.#held, this.#heldBytes);
      return;
    }
    this.#whole = this.#text();
    this.#answer.sendText(status, contentType, this.#whole);
  }

  #pass(chunk: Buffer, ends: BodyEnds): boolean {
    ends.push(chunk);
    return this.#answer.push(chunk);
  }

  #passHeld(): boolean {
    const cause = this.#findFault();
    if (cause !== undefined) {
      this.#answer.fail(cause);
      return true;
    }
    this.#answer.beginBody(this.#status, this.#contentType, this.#length);
    const begun = joinedChunks(this.#held);
    this.#held = [];
    this.#ends = new BodyEnds(begun);
    return this.#pass(begun, this.#ends);
  }

  readUsage(isPaid: boolean): Usage | undefined {
    const { dialect, isConversation } = this.#call.surface;
    const read = isPaid ? usageInBody : usageInText;
    return read(isConversation ? dialect : "embeddings", this.#text());
  }

  relayedTokens(): number {
    return this.#call.surface.isConversation ? estimatedTokens(this.#answer.bytes) : 0;
  }

  /**
   * What is still here of the body: all of a small one, the end of a large one. Where it
   * holds nothing that a model has said, its beginning may tell the usage as well.
   */
  #text(): string {
    if (this.#whole !== undefined) return this.#whole;
    if (this.#ends === undefined) return joinedChunks(this.#held).toString("latin1");
    const { head, tail } = this.#ends;
    return this.#call.surface.isConversation ? tail : `${head}\n${tail}`;
  }

  #findFault(): CallFailure | undefined {
    if (firstByteOf(this.#held) !== openBrace) {
      return malformed(this.#target, "did not answer with a JSON object");
    }
    if (!isErrorBody(this.#held)) return undefined;
    return upstreamErrorInBody(this.#target, joinedChunks(this.#held).toString());
  }

  /** The end of a body without a length shows in nothing but its last byte. */
  #findCut(): CallFailure | undefined {
    const end = this.#ends === undefined ? this.#held : [Buffer.from(this.#ends.tail, "latin1")];
    if (lastByteOf(end) === closeBrace) return undefined;
    return malformed(this.#target, "sent JSON that is cut off");
  }
}

function malformed({ name }: CallTarget, fault: string): CallFailure {
  return failure("upstream_malformed", `The upstream \`${name}\` ${fault}.`);
}
