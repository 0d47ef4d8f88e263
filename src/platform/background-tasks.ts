import type { Logger } from "pino";

/** Work that goes on after the answer, and that the end of the process waits for. */
export class BackgroundTasks {
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * Starts a task; what it throws is logged under `what` and goes no further.
   * Resolves when the task has ended, for who wants to wait.
   */
  run(what: string, task: () => Promise<void>): Promise<void> {
    const running = task().catch((error: unknown) => {
      this.#log.warn({ err: error }, `${what} failed`);
    });
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  /** Resolves when every task that runs now has ended. */
  async waitForAll(): Promise<void> {
    await Promise.all(this.#running);
  }
}
