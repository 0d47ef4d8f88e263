import type { Connection } from "./connection.ts";

/**
 * Leaves every connection of a job when its time is up, so that calls under way
 * fail and the job ends. Disposed with the job.
 */
export class Deadline implements Disposable {
  readonly #timer: NodeJS.Timeout;
  #passed = false;

  constructor(milliseconds: number, connections: Iterable<Connection>) {
    this.#timer = setTimeout(() => {
      this.#passed = true;
      for (const connection of connections) connection.destroy();
    }, milliseconds);
  }

  /** True once the job must send nothing more. */
  get passed(): boolean {
    return this.#passed;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
