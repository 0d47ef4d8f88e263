/** Counted in tenths of a retry, because tenths do not add up in binary fractions. */
const retry = 10;
const earnedPerCall = 1;

/** Retries that are always allowed, so that a quiet server can retry at all. */
const reserve = 10 * retry;

/**
 * Keeps retries to a tenth of the calls, so that an upstream in trouble is not
 * buried under repetitions.
 */
export class RetryBudget {
  #left = reserve;

  /** A call has come. */
  deposit(): void {
    this.#left = Math.min(reserve, this.#left + earnedPerCall);
  }

  /** Takes a retry out of the budget, if there is one. */
  withdraw(): boolean {
    if (this.#left < retry) return false;
    this.#left -= retry;
    return true;
  }
}
