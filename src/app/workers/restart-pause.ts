const shortestMs = 100;
const longestMs = 10_000;
/** Who lived for so long did not die of its start. */
const healthyMs = 60_000;

/** How long to wait before a worker is started again: longer each time that it lives only briefly. */
export class RestartPause {
  #nextMs = shortestMs;

  /** Milliseconds to wait after a worker that lived for so long. */
  after(livedMs: number): number {
    const pause = livedMs >= healthyMs ? shortestMs : this.#nextMs;
    this.#nextMs = Math.min(pause * 2, longestMs);
    return pause;
  }
}
