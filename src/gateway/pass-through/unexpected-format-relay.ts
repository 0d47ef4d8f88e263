import type { CallerResponse } from "../call/caller-response.ts";
import { createCallFailure } from "../call/call-failure.ts";
import type { ResolvedUpstream } from "../upstream/call-target.ts";
import { createOkStatusErrorFailure } from "../upstream/upstream-error.ts";
import { isErrorShapedJsonBody } from "./body-shape.ts";
import { ErrorBodyCollector } from "./error-body-collector.ts";

/**
 * Refuses an answer in another form than was asked for, which cannot be given in
 * the right one. An error that came so reaches the caller all the same.
 */
export class UpstreamFormatMismatchHandler extends ErrorBodyCollector {
  readonly #response: CallerResponse;
  readonly #target: ResolvedUpstream;
  readonly #form: string;

  /** `form` is what came: "one JSON body". */
  constructor(answer: CallerResponse, target: ResolvedUpstream, form: string) {
    super();
    this.#response = answer;
    this.#target = target;
    this.#form = form;
  }

  protected handle(body: Buffer): void {
    const message = `The upstream \`${this.#target.name}\` answered with ${this.#form}, unasked.`;
    const cause = isErrorShapedJsonBody(body)
      ? createOkStatusErrorFailure(this.#target, body.toString())
      : createCallFailure("upstream_malformed", message);
    this.#response.fail(cause);
  }
}
