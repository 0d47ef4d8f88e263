import type { Answer } from "../call/answer.ts";
import type { CallFailure } from "../call/call-failure.ts";
import { firstByteOf } from "./body-shape.ts";
import type { Stage } from "./stage.ts";

/**
 * Waits for the first byte that tells what an answer is, because some compatible
 * servers name no content type, or the wrong one.
 */
export class SniffRelay implements Stage<Buffer> {
  readonly #answer: Answer;
  readonly #choose: (first: number | undefined) => Stage<Buffer>;
  readonly #held: Buffer[] = [];
  #chosen: Stage<Buffer> | undefined;

  /** `choose` gets the first byte that is no white space; undefined when there is none. */
  constructor(answer: Answer, choose: (first: number | undefined) => Stage<Buffer>) {
    this.#answer = answer;
    this.#choose = choose;
  }

  push(chunk: Buffer): boolean {
    if (this.#chosen !== undefined) return this.#chosen.push(chunk);
    this.#held.push(chunk);
    if (firstByteOf([chunk]) === undefined) return true;
    return this.#decide().push(Buffer.concat(this.#held));
  }

  finish(): void {
    this.#decide().finish();
  }

  fail(cause: CallFailure): void {
    const stage = this.#held.length === 0 ? this.#answer : this.#decide();
    stage.fail(cause);
  }

  #decide(): Stage<Buffer> {
    this.#chosen ??= this.#choose(firstByteOf(this.#held));
    return this.#chosen;
  }
}
