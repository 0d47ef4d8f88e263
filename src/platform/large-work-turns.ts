/** A body of this size or more is large: it is read, and an answer translated, in its turn. */
export const minLargeBodyBytes = 64 * 1024;

/** Work that took longer is followed by a pause of the same length, in milliseconds. */
const longWorkMs = 20;

/** Longest pause, in milliseconds. */
const maxPauseMs = 1000;

/**
 * Starts large pieces of work one by one, so that between two of them the event loop serves
 * what else has come. Owners take turns, so the work of one waits for little of the others'.
 */
export class FairLargeWorkScheduler {
  /** In the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isBusy = false;

  /** Does the work at once where nothing waits, else when its owner has its turn. */
  run(owner: string, work: () => void): void {
    if (!this.#isBusy) {
      this.#start(work);
      return;
    }
    const queue = this.#waiting.get(owner);
    if (queue === undefined) this.#waiting.set(owner, [work]);
    else queue.push(work);
  }

  #start(work: () => void): void {
    this.#isBusy = true;
    const startedAt = performance.now();
    // After all that the work does without waiting, its microtasks included.
    setImmediate(() => {
      const tookMs = performance.now() - startedAt;
      if (tookMs <= longWorkMs) this.#next();
      else setTimeout(() => this.#next(), Math.min(tookMs, maxPauseMs));
    });
    work();
  }

  #next(): void {
    this.#isBusy = false;
    const [owner, queue] = this.#waiting.entries().next().value ?? [];
    const work = queue?.shift();
    if (owner === undefined || queue === undefined || work === undefined) return;
    this.#waiting.delete(owner);
    if (queue.length > 0) this.#waiting.set(owner, queue);
    this.#start(work);
  }
}
