import type { Answer } from "../answer.ts";
import { failure, type CallFailure } from "../call-failure.ts";
import type { DialTarget } from "../dial-target.ts";
import { upstreamErrorInBody } from "../upstream-error.ts";
import { isErrorBody } from "./body-shape.ts";
import type { Receiver } from "./receiver.ts";

/** More of the body than this is not read. */
const readBytesAtMost = 64 * 1024;

/**
 * Refuses a JSON body where a stream was asked for. Some compatible servers send
 * their errors so, with a status that says all is well: what such an error says
 * reaches the caller (dialects reference, 5.1).
 */
export class WholeAnswerRelay implements Receiver {
  readonly #answer: Answer;
  readonly #target: DialTarget;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  readonly isEmpty = false;

  constructor(answer: Answer, target: DialTarget) {
    this.#answer = answer;
    this.#target = target;
  }

  data(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > readBytesAtMost) this.end();
    return true;
  }

  end(): void {
    const cause = isErrorBody(this.#chunks)
      ? upstreamErrorInBody(this.#target, Buffer.concat(this.#chunks).toString())
      : unasked(this.#target);
    this.#answer.fail(cause);
  }

  broken(): void {
    this.end();
  }

  begin(): void {
    // There is nothing to begin.
  }
}

function unasked({ name }: DialTarget): CallFailure {
  return failure(
    "upstream_malformed",
    `The upstream \`${name}\` answered with one JSON body although a stream was asked for.`,
  );
}
