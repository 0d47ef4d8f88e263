import { ApiError } from "./errors.ts";

/** Most work of one account that waits in a limiter. */
export const maxWaitingWorkPerAccount = 1000;

/** Runs the work of one key a few at a time; the rest of that key waits in its order. */
export class KeyedConcurrencyLimiter {
  readonly #most: number;
  readonly #maxWaiting: number;
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /**
   * `most`: works of one key at a time. `maxWaiting`: how many of a key may wait; without it any
   * number, for work that its callers bound.
   */
  constructor(most: number, maxWaiting = Infinity) {
    this.#most = most;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Resolves or rejects as the work does, which begins at once while fewer of its key run. Rejects
   * with 429 `rate_limited` when too many of its key wait.
   */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    await this.#enter(key);
    try {
      return await work();
    } finally {
      this.#leave(key);
    }
  }

  #enter(key: string): Promise<void> | undefined {
    const running = this.#running.get(key) ?? 0;
    if (running < this.#most) {
      this.#running.set(key, running + 1);
      return undefined;
    }
    const line = this.#waiting.get(key) ?? [];
    if (line.length >= this.#maxWaiting) throw tooManyWaitingError();
    this.#waiting.set(key, line);
    return new Promise((resolve) => line.push(resolve));
  }

  /** The place goes to the next that waits, if there is one. */
  #leave(key: string): void {
    const line = this.#waiting.get(key);
    const next = line?.shift();
    if (line?.length === 0) this.#waiting.delete(key);
    if (next !== undefined) {
      next();
      return;
    }
    const running = (this.#running.get(key) ?? 1) - 1;
    if (running === 0) this.#running.delete(key);
    else this.#running.set(key, running);
  }
}

function tooManyWaitingError(): ApiError {
  return new ApiError(
    "rate_limited",
    "Too many requests of this account wait for the database; send fewer at once.",
    { retryAfterSeconds: 1 },
  );
}
