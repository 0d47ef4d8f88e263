/** Timers take no more milliseconds. */
const longestMs = 2 ** 31 - 1;

/** The time that a turn may take: when it is up, what is under way is to end. */
export class TurnTime {
  readonly #up = new AbortController();
  readonly #timer: NodeJS.Timeout;
  /** Aborted when the time is up, or the turn goes on no more. */
  readonly signal: AbortSignal;

  constructor(leftMs: number, stopped: AbortSignal) {
    const waitMs = Math.min(Math.max(0, leftMs), longestMs);
    this.#timer = setTimeout(() => this.#up.abort(), waitMs).unref();
    this.signal = AbortSignal.any([stopped, this.#up.signal]);
  }

  get isUp(): boolean {
    return this.#up.signal.aborted;
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
