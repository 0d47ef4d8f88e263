import type { IncomingHttpHeaders } from "node:http";
import type { Answer } from "../answer.ts";
import type { DialTarget } from "../dial-target.ts";
import { upstreamError } from "../upstream-error.ts";
import type { Receiver } from "./receiver.ts";

/** More of an error than this is not read. */
const readBytesAtMost = 64 * 1024;

/**
 * Tells the caller an upstream's error in the caller's dialect. What has come
 * of the body when it breaks off is enough: the status says the most.
 */
export class ErrorRelay implements Receiver {
  readonly #answer: Answer;
  readonly #target: DialTarget;
  readonly #status: number;
  readonly #headers: IncomingHttpHeaders;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  /** An error without a body is an answer all the same. */
  readonly isEmpty = false;
  readonly #reconsider: (refusal: string) => boolean;

  /** `reconsider` may dial once more instead; true: it does, and the caller hears nothing. */
  constructor(
    answer: Answer,
    target: DialTarget,
    status: number,
    headers: IncomingHttpHeaders,
    reconsider: (refusal: string) => boolean = () => false,
  ) {
    this.#reconsider = reconsider;
    this.#answer = answer;
    this.#target = target;
    this.#status = status;
    this.#headers = headers;
  }

  data(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > readBytesAtMost) this.end();
    return true;
  }

  end(): void {
    const body = Buffer.concat(this.#chunks).toString();
    if (this.#reconsider(body)) return;
    this.#answer.fail(upstreamError(this.#target, this.#status, this.#headers, body));
  }

  broken(): void {
    this.end();
  }

  begin(): void {
    // The status is known: there is nothing to begin before it can be told.
  }
}
