import type { IncomingHttpHeaders } from "node:http";
import type { Answer } from "../answer.ts";
import type { CallFailure } from "../call-failure.ts";
import type { DialTarget } from "../dial-target.ts";
import { upstreamError } from "../upstream-error.ts";
import type { Receiver } from "./receiver.ts";

/** More of an error than this is not read. */
const readBytesAtMost = 64 * 1024;

/** Takes the 401 of an upstream whose token may be renewed: the caller hears of it only if that fails. */
export class RefusedToken implements Receiver {
  /** An error without a body is an answer all the same. */
  readonly isEmpty = false;
  readonly #answer: Answer;
  readonly #target: DialTarget;
  readonly #headers: IncomingHttpHeaders;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(answer: Answer, target: DialTarget, headers: IncomingHttpHeaders) {
    this.#answer = answer;
    this.#target = target;
    this.#headers = headers;
  }

  /** What the caller is told when there is no other token. */
  get cause(): CallFailure {
    const body = Buffer.concat(this.#chunks).toString();
    return upstreamError(this.#target, 401, this.#headers, body);
  }

  data(chunk: Buffer): boolean {
    if (this.#bytes < readBytesAtMost) this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    return true;
  }

  end(): void {
    // The exchange knows how it goes on.
  }

  broken(): void {
    this.#answer.fail(this.cause);
  }

  begin(): void {
    // The call may be made once more: nothing can be told yet.
  }
}
