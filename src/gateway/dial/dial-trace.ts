import type { DialFailure } from "../../platform/dial/dial-failure.ts";

/** What the dials of one call took. Times are those of `performance.now()`; 0: not yet. */
export class DialTrace {
  attempts = 0;
  /** The first dial. */
  dialledAt = 0;
  /** The first byte of a body. */
  firstByteAt = 0;
  /** The end of the last answer. */
  endedAt = 0;
  /** Of the last answer; undefined: none has begun. */
  status: number | undefined;
  /** Kind of the last failure; undefined: none, or of no known kind. */
  failure: DialFailure | undefined;

  dialled(now: number): void {
    this.attempts += 1;
    this.dialledAt ||= now;
  }

  heard(now: number): void {
    this.firstByteAt ||= now;
  }
}
