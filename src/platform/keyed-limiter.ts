/** Runs the work of one key a few at a time; the rest of that key waits in its order. */
export class KeyedConcurrencyLimiter {
  readonly #most: number;
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** `most`: works of one key at a time. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves or rejects as the work does, which begins at once while fewer of its key run. */
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
