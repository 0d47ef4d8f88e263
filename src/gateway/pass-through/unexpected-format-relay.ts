import type { CallerResponse } from "../call/caller-response.ts";
import { createCallFailure } from "../call/call-failure.ts";
import type { UpstreamTarget } from "../upstream/call-target.ts";
import { createErrorBodyFailure } from "../upstream/upstream-error.ts";
import { isErrorBody } from "./body-shape.ts";
import { ErrorBodyCollector } from "./error-body-collector.ts";

/**
 * Refuses an answer in another form than was asked for, which cannot be given in
 * the right one. An error that came so reaches the caller all the same.
 */
export class UnexpectedFormatHandler extends ErrorBodyCollector {
  readonly #response: CallerResponse;
  readonly #target: UpstreamTarget;
  readonly #form: string;

  /** `form` is what came: "one JSON body". */
  constructor(answer: CallerResponse, target: UpstreamTarget, form: string) {
    super();
    this.#response = answer;
    this.#target = target;
    this.#form = form;
  }

  protected handle(body: Buffer): void {
    const message = `The upstream \`${this.#target.name}\` answered with ${this.#form}, unasked.`;
    const cause = isErrorBody(body)
      ? createErrorBodyFailure(this.#target, body.toString())
      : createCallFailure("upstream_malformed", message);
    this.#response.fail(cause);
  }
}
