/** Timers take no more milliseconds. */
const maxMs = 2 ** 31 - 1;

/** The time that a turn may take: when it is up, what is under way is to end. */
export class TurnDeadline {
  readonly #up = new AbortController();
  readonly #timer: NodeJS.Timeout;
  /** Aborted when the time is up, or the turn goes on no more. */
  readonly signal: AbortSignal;

  constructor(leftMs: number, stopped: AbortSignal) {
    const waitMs = Math.min(Math.max(0, leftMs), maxMs);
    this.#timer = setTimeout(() => this.#up.abort(), waitMs).unref();
    this.signal = AbortSignal.any([stopped, this.#up.signal]);
  }

  get hasPassed(): boolean {
    return this.#up.signal.aborted;
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
