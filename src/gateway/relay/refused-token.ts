import type { IncomingHttpHeaders } from "node:http";
import type { Answer } from "../call/answer.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { CallTarget } from "../dial/call-target.ts";
import { upstreamError } from "../dial/upstream-error.ts";
import { ErrorBody } from "./error-body.ts";

/** Takes the 401 of an upstream whose token may be renewed: the caller hears of it only if that fails. */
export class RefusedToken extends ErrorBody {
  readonly #answer: Answer;
  readonly #target: CallTarget;
  readonly #headers: IncomingHttpHeaders;
  #body = "";

  constructor(answer: Answer, target: CallTarget, headers: IncomingHttpHeaders) {
    super();
    this.#answer = answer;
    this.#target = target;
    this.#headers = headers;
  }

  /** What the caller is told when there is no other token; known once the body has ended. */
  get cause(): CallFailure {
    return upstreamError(this.#target, 401, this.#headers, this.#body);
  }

  override fail(): void {
    super.fail();
    this.#answer.fail(this.cause);
  }

  /** The exchange knows how it goes on. */
  protected tell(chunks: readonly Buffer[]): void {
    this.#body = Buffer.concat(chunks).toString();
  }
}
