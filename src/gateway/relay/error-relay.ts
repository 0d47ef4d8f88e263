import type { IncomingHttpHeaders } from "node:http";
import type { Answer } from "../call/answer.ts";
import type { CallTarget } from "../dial/call-target.ts";
import { upstreamError } from "../dial/upstream-error.ts";
import { ErrorBody } from "./error-body.ts";

/**
 * Tells the caller an upstream's error in the caller's dialect. What has come
 * of the body when it breaks off is enough: the status says the most.
 */
export class ErrorRelay extends ErrorBody {
  readonly #answer: Answer;
  readonly #target: CallTarget;
  readonly #status: number;
  readonly #headers: IncomingHttpHeaders;
  readonly #reconsider: (refusal: string) => boolean;

  /** `reconsider` may dial once more instead; true: it does, and the caller hears nothing. */
  constructor(
    answer: Answer,
    target: CallTarget,
    status: number,
    headers: IncomingHttpHeaders,
    reconsider: (refusal: string) => boolean,
  ) {
    super();
    this.#reconsider = reconsider;
    this.#answer = answer;
    this.#target = target;
    this.#status = status;
    this.#headers = headers;
  }

  protected tell(chunks: readonly Buffer[]): void {
    const body = Buffer.concat(chunks).toString();
    if (this.#reconsider(body)) return;
    this.#answer.fail(upstreamError(this.#target, this.#status, this.#headers, body));
  }
}
