import type { CallFailure } from "../call/call-failure.ts";

/** What an upstream said or failed at, thrown where it is asked for something beside a model call. */
export class UpstreamFailureError extends Error {
  override readonly name = "UpstreamRequestError";
  readonly failure: CallFailure;

  constructor(failure: CallFailure) {
    super(failure.message);
    this.failure = failure;
  }
}
