import type { Logger } from "../platform/log.ts";

/** What has to be closed, in the reverse order of its opening. */
export class CleanupStack {
  readonly #closers: (() => Promise<void>)[] = [];

  add(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  /** Closes everything after a failure that is told instead of what fails here, which is logged. */
  async closeAfterFailure(log: Logger): Promise<void> {
    await this.closeAll().catch((error: unknown) => {
      log.warn({ err: error }, "not everything could be closed");
    });
  }

  /** Closes everything, also when one fails; rejects with the first failure. */
  async closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.splice(0).toReversed()) {
      await close().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}
