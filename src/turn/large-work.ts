import { KeyedConcurrencyLimiter } from "../platform/keyed-limiter.ts";

/** Characters of a text from which on work with it is large. */
export const minLargeTextCharacters = 1024 * 1024;

/**
 * Work of this process with texts of turns. To print, seal and send a text takes some ten times
 * its memory for a moment, so large work is done one after the other.
 */
export class LargeTextWorkLimiter {
  readonly #limiter = new KeyedConcurrencyLimiter(1);

  /** Does the work at once, or where it is large, when no other large work runs. */
  run<Result>(characters: number, work: () => Promise<Result>): Promise<Result> {
    return characters < minLargeTextCharacters ? work() : this.#limiter.run("large", work);
  }
}

/** Writes of events. They wait for no work of the other kind. */
export const largeEventWriteLimiter = new LargeTextWorkLimiter();

/** The last events of a turn, which repeat its answer. Such work may write events. */
export const turnEndingWorkLimiter = new LargeTextWorkLimiter();
