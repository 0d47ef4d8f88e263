import { performance } from "node:perf_hooks";
/** A call in flight, as the watch sees it. */
export interface WatchedCall {
  /** Looks at its limits; `now` is `performance.now()`. */
  tick(now: number): void;
  /** Ends now, telling its caller why: the server stops. */
  drain(): void;
}

/**
 * The calls in flight. One timer looks at all of them, because a timer per call
 * and limit costs more than the looks.
 */
export class CallWatch {
  readonly #calls = new Set<WatchedCall>();
  readonly #timer: NodeJS.Timeout;

  /** `everyMs`: the precision of every limit. */
  constructor(everyMs: number) {
    this.#timer = setInterval(() => this.#tick(), everyMs).unref();
  }

  /** Calls in flight now. */
  get size(): number {
    return this.#calls.size;
  }

  add(call: WatchedCall): void {
    this.#calls.add(call);
  }

  delete(call: WatchedCall): void {
    this.#calls.delete(call);
  }

  /** Ends every call in flight. */
  drain(): void {
    for (const call of this.#calls) call.drain();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = performance.now();
    for (const call of this.#calls) call.tick(now);
  }
}
