import type { CallFailure } from "../call/call-failure.ts";

/**
 * Takes the body of an upstream's answer and gives the caller what it should
 * have of it. Exactly one of `end` and `broken` comes last.
 */
export interface Receiver {
  /** Nothing of the body has come. */
  readonly isEmpty: boolean;
  /** The next piece; false: wait until the caller has read. */
  data(chunk: Buffer): boolean;
  /** The upstream has said everything. */
  end(): void;
  /** There will be no more, though the upstream has not finished. */
  broken(cause: CallFailure): void;
  /** The caller of a stream has waited long enough: begin. */
  begin(): void;
}
