import type { IncomingHttpHeaders } from "node:http";
import type { CallerResponse } from "../call/caller-response.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { ResolvedUpstream } from "../upstream/call-target.ts";
import { createUpstreamErrorFailure } from "../upstream/upstream-error.ts";
import { ErrorBodyCollector } from "./error-body-collector.ts";

/** Takes the 401 of an upstream whose token may be renewed: the caller hears of it only if that fails. */
export class UnauthorizedResponseHandler extends ErrorBodyCollector {
  readonly #response: CallerResponse;
  readonly #target: ResolvedUpstream;
  readonly #headers: IncomingHttpHeaders;
  #body = "";

  constructor(answer: CallerResponse, target: ResolvedUpstream, headers: IncomingHttpHeaders) {
    super();
    this.#response = answer;
    this.#target = target;
    this.#headers = headers;
  }

  /** What the caller is told when there is no other token; known once the body has ended. */
  get cause(): CallFailure {
    return createUpstreamErrorFailure(this.#target, 401, this.#headers, this.#body);
  }

  override fail(): void {
    super.fail();
    this.#response.fail(this.cause);
  }

  /** The exchange knows how it goes on. */
  protected handle(body: Buffer): void {
    this.#body = body.toString();
  }
}
