import type { IncomingHttpHeaders } from "node:http";
import type { CallerResponse } from "../call/caller-response.ts";
import type { ResolvedUpstream } from "../upstream/call-target.ts";
import { createUpstreamErrorFailure } from "../upstream/upstream-error.ts";
import { ErrorBodyCollector } from "./error-body-collector.ts";

/**
 * Tells the caller an upstream's error in the caller's dialect. What has come
 * of the body when it breaks off is enough: the status says the most.
 */
export class UpstreamErrorRelay extends ErrorBodyCollector {
  readonly #response: CallerResponse;
  readonly #target: ResolvedUpstream;
  readonly #status: number;
  readonly #headers: IncomingHttpHeaders;
  readonly #failoverPolicy: (refusal: string) => boolean;

  /** `reconsider` may dial once more instead; true: it does, and the caller hears nothing. */
  constructor(
    answer: CallerResponse,
    target: ResolvedUpstream,
    status: number,
    headers: IncomingHttpHeaders,
    reconsider: (refusal: string) => boolean,
  ) {
    super();
    this.#failoverPolicy = reconsider;
    this.#response = answer;
    this.#target = target;
    this.#status = status;
    this.#headers = headers;
  }

  protected handle(bytes: Buffer): void {
    const body = bytes.toString();
    if (this.#failoverPolicy(body)) return;
    this.#response.fail(
      createUpstreamErrorFailure(this.#target, this.#status, this.#headers, body),
    );
  }
}
