import { ByteCollector } from "../../platform/byte-collector.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import type { CallFailure } from "../call/call-failure.ts";
import { firstNonBlankByte } from "./body-shape.ts";
import type { StreamStage } from "./stage.ts";

/** After more white space than this, no first byte is waited for. */
const heldBytesAtMost = 64 * 1024;

/**
 * Waits for the first byte that tells what an answer is, because some compatible
 * servers name no content type, or the wrong one.
 */
export class ContentSniffingStage implements StreamStage<Buffer> {
  readonly #response: CallerResponse;
  readonly #choose: (first: number | undefined) => StreamStage<Buffer>;
  readonly #buffered = new ByteCollector();
  #chosen: StreamStage<Buffer> | undefined;

  /** `choose` gets the first byte that is no white space; undefined when there is none. */
  constructor(answer: CallerResponse, choose: (first: number | undefined) => StreamStage<Buffer>) {
    this.#response = answer;
    this.#choose = choose;
  }

  push(chunk: Buffer): boolean {
    if (this.#chosen !== undefined) return this.#chosen.push(chunk);
    this.#buffered.push(chunk);
    const isBlank = firstNonBlankByte(chunk) === undefined;
    if (isBlank && this.#buffered.length <= heldBytesAtMost) return true;
    return this.#decide().push(this.#buffered.take());
  }

  finish(): void {
    this.#decide().finish();
  }

  fail(cause: CallFailure): void {
    const stage = this.#buffered.length === 0 ? this.#response : this.#decide();
    stage.fail(cause);
  }

  #decide(): StreamStage<Buffer> {
    this.#chosen ??= this.#choose(firstNonBlankByte(this.#buffered.bytes));
    return this.#chosen;
  }
}
