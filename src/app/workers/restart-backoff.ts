const minMs = 100;
const maxMs = 10_000;
/**
 * How long to wait before a worker is started again. Whoever ends one that is
 * ready can end the next one too: it is replaced at once, so that callers wait for
 * its start and no longer. Each one that does not get so far is waited for longer.
 */
export class WorkerRestartBackoff {
  #nextMs = minMs;

  /** Milliseconds to wait after a worker that has ended. */
  after(wasReady: boolean): number {
    const pause = wasReady ? 0 : this.#nextMs;
    this.#nextMs = wasReady ? minMs : Math.min(pause * 2, maxMs);
    return pause;
  }
}
