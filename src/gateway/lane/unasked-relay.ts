import type { Answer } from "../answer.ts";
import { failure } from "../call-failure.ts";
import type { DialTarget } from "../dial-target.ts";
import { upstreamErrorInBody } from "../upstream-error.ts";
import { isErrorBody } from "./body-shape.ts";
import type { Receiver } from "./receiver.ts";

/** More of the body than this is not read. */
const readBytesAtMost = 64 * 1024;

/**
 * Refuses an answer in another form than was asked for, which cannot be given in
 * the right one. An error that came so reaches the caller all the same.
 */
export class UnaskedRelay implements Receiver {
  readonly #answer: Answer;
  readonly #target: DialTarget;
  readonly #form: string;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  readonly isEmpty = false;

  /** `form` is what came: "one JSON body". */
  constructor(answer: Answer, target: DialTarget, form: string) {
    this.#answer = answer;
    this.#target = target;
    this.#form = form;
  }

  data(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > readBytesAtMost) this.end();
    return true;
  }

  end(): void {
    const message = `The upstream \`${this.#target.name}\` answered with ${this.#form}, unasked.`;
    const cause = isErrorBody(this.#chunks)
      ? upstreamErrorInBody(this.#target, Buffer.concat(this.#chunks).toString())
      : failure("upstream_malformed", message);
    this.#answer.fail(cause);
  }

  broken(): void {
    this.end();
  }

  begin(): void {
    // There is nothing to begin.
  }
}
