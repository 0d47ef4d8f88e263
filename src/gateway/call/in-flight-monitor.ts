import { performance } from "node:perf_hooks";

/** A call in flight, as the watch sees it. */
export interface MonitoredCall {
  /** Where the watch keeps it; -1 while it does not. The watch's own. */
  watchIndex: number;
  /** Looks at its limits; `now` is `performance.now()`. */
  tick(now: number): void;
  /** Ends now, telling its caller why: the server stops. */
  drain(): void;
}

/** The calls in flight. One timer looks at all of them. Speed: docs/performance.md, `call-watch`. */
export class InFlightCallTimeoutMonitor {
  readonly #calls: MonitoredCall[] = [];
  readonly #timer: NodeJS.Timeout;

  /** `everyMs`: the precision of every limit. */
  constructor(everyMs: number) {
    this.#timer = setInterval(() => this.#tick(), everyMs).unref();
  }

  /** Calls in flight now. */
  get size(): number {
    return this.#calls.length;
  }

  add(call: MonitoredCall): void {
    call.watchIndex = this.#calls.push(call) - 1;
  }

  /** The last call takes the place of the one that goes. */
  delete(call: MonitoredCall): void {
    const index = call.watchIndex;
    if (index === -1) return;
    call.watchIndex = -1;
    const last = this.#calls.pop();
    if (last === undefined || last === call) return;
    this.#calls[index] = last;
    last.watchIndex = index;
  }

  /** Ends every call in flight. */
  drain(): void {
    for (const call of this.#calls.slice()) call.drain();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Over a copy: a call that is ended by its limit leaves the array. */
  #tick(): void {
    const now = performance.now();
    for (const call of this.#calls.slice()) call.tick(now);
  }
}
