import { performance } from "node:perf_hooks";
import { ApiError } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { EventLoopDelayMonitor } from "./loop-delay.ts";

/** Asked before a call is let in. */
export interface LoadAdmissionCheck {
  /** Throws 503 `unavailable` while the process has more to do than it can do in time. */
  assertAccepting(): void;
}

/** How the load of the process stands, for the metrics. */
export interface LoadSheddingState {
  /** How late the event loop was when it was last looked at. */
  readonly delayMs: number;
  readonly isShedding: boolean;
  /** Calls that were refused so far. */
  readonly rejected: number;
}

export interface LoadShedderDependencies {
  /** Lateness of the event loop that is too much; 0: nothing is ever refused. */
  readonly thresholdMs: number;
  readonly watchLoop: EventLoopDelayMonitor;
  readonly log: Logger;
}

/**
 * So many looks in a row must find the loop too late. One pause, as of a machine
 * that stood still, is one late look, and what waited behind it is served.
 */
const overloadedChecks = 3;

/** So many looks in a row, a second of them, must find it at half of that or less: refusing must not flap. */
const recoveredChecks = 10;

/** Longer than the second that it takes at least until calls are taken again. */
const retryAfterSeconds = 2;

/**
 * Refuses new calls while the event loop is late, so that those that are under way
 * go on in time. What says how the process is (`/healthz`, `/readyz`, `/metrics`)
 * does not ask it.
 */
export class LoadShedder implements LoadAdmissionCheck, LoadSheddingState {
  readonly #dependencies: LoadShedderDependencies;
  #delayMs = 0;
  #isShedding = false;
  #rejected = 0;
  /** Looks in a row that spoke for a change. */
  #looks = 0;
  #began = { at: 0, refused: 0 };

  constructor(dependencies: LoadShedderDependencies) {
    this.#dependencies = dependencies;
  }

  get delayMs(): number {
    return this.#delayMs;
  }

  get isShedding(): boolean {
    return this.#isShedding;
  }

  get rejected(): number {
    return this.#rejected;
  }

  /** Looks at the loop from now on; the result ends it. */
  start(): () => void {
    return this.#dependencies.watchLoop((delayMs) => this.#onDelay(delayMs));
  }

  assertAccepting(): void {
    if (!this.#isShedding) return;
    this.#rejected += 1;
    throw new ApiError("unavailable", "The server is overloaded; wait and send the call again.", {
      retryAfterSeconds,
      isLogged: true,
    });
  }

  #onDelay(delayMs: number): void {
    const { thresholdMs } = this.#dependencies;
    this.#delayMs = delayMs;
    if (thresholdMs === 0) return;
    const speaksForChange = this.#isShedding ? delayMs <= thresholdMs / 2 : delayMs > thresholdMs;
    this.#looks = speaksForChange ? this.#looks + 1 : 0;
    if (this.#looks < (this.#isShedding ? recoveredChecks : overloadedChecks)) return;
    this.#looks = 0;
    if (this.#isShedding) this.#end();
    else this.#begin();
  }

  #begin(): void {
    this.#isShedding = true;
    this.#began = { at: performance.now(), refused: this.#rejected };
    this.#dependencies.log.warn(
      { loop_delay_ms: Math.round(this.#delayMs), limit_ms: this.#dependencies.thresholdMs },
      "the event loop is late: new calls are refused with 503",
    );
  }

  #end(): void {
    this.#isShedding = false;
    const { at, refused } = this.#began;
    this.#dependencies.log.info(
      { seconds: Math.round((performance.now() - at) / 1000), refused: this.#rejected - refused },
      "the event loop is in time again: calls are taken",
    );
  }
}
