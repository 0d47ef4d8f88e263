import type { Answer } from "../call/answer.ts";
import { failure } from "../call/call-failure.ts";
import type { CallTarget } from "../dial/call-target.ts";
import { upstreamErrorInBody } from "../dial/upstream-error.ts";
import { isErrorBody } from "./body-shape.ts";
import { ErrorBody } from "./error-body.ts";

/**
 * Refuses an answer in another form than was asked for, which cannot be given in
 * the right one. An error that came so reaches the caller all the same.
 */
export class UnaskedRelay extends ErrorBody {
  readonly #answer: Answer;
  readonly #target: CallTarget;
  readonly #form: string;

  /** `form` is what came: "one JSON body". */
  constructor(answer: Answer, target: CallTarget, form: string) {
    super();
    this.#answer = answer;
    this.#target = target;
    this.#form = form;
  }

  protected tell(chunks: readonly Buffer[]): void {
    const message = `The upstream \`${this.#target.name}\` answered with ${this.#form}, unasked.`;
    const cause = isErrorBody(chunks)
      ? upstreamErrorInBody(this.#target, Buffer.concat(chunks).toString())
      : failure("upstream_malformed", message);
    this.#answer.fail(cause);
  }
}
