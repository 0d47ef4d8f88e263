import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../platform/clock.ts";

/** How a source wants to be asked. */
export interface DataSourceThrottleLimits {
  /** Requests at a time. */
  readonly concurrency: number;
  readonly perSecond: number;
  /** Requests that may come at once after a pause. */
  readonly burst: number;
  /** Milliseconds of silence after a first 429 that does not say how long; doubled by each that follows. */
  readonly pauseMs: number;
}

/** A request that was not sent. The message ends a sentence that begins with the source. */
export class DataSourceRequestNotSentError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ThrottledError";
  }
}

/** Longest wait for a turn: a caller waits for the answer. */
const maxWaitMs = 5000;
const failuresThatOpen = 5;
const failureWindowMs = 30_000;
const firstOpenMs = 2000;
const maxSilenceMs = 60 * 60_000;
const maxOpenMs = 60_000;

/**
 * Lets requests to one source through as the source wants to be asked:
 * concurrency, a token bucket, silence after a 429, and a circuit breaker that
 * lets one request through at a time until one succeeds. A short wait is waited
 * out, a long one is refused.
 */
export class DataSourceRequestThrottle {
  readonly limits: DataSourceThrottleLimits;
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  /** When the bucket is full again. */
  #bucketFullAt = 0;
  #silentUntil = 0;
  #pauses = 0;
  #openUntil = 0;
  #failures: number[] = [];
  /** Times that the breaker opened since the last success; above 0 it lets one through at a time. */
  #openings = 0;

  constructor(limits: DataSourceThrottleLimits, clock: Clock) {
    this.limits = limits;
    this.#clock = clock;
  }

  /** Runs the task when its turn has come. Throws a `DataSourceRequestNotSentError` when it should not be asked now. */
  async run<Value>(task: () => Promise<Value>): Promise<Value> {
    this.#refuseWhileOpen();
    await this.#silence();
    await this.#token();
    await this.#place();
    try {
      // What came before may have been told to wait, or have failed.
      this.#refuseWhileOpen();
      await this.#silence();
      return await task();
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** The source answered as it should. */
  succeeded(): void {
    this.#failures = [];
    this.#openings = 0;
    this.#pauses = 0;
  }

  /** The source could not be reached, or failed by itself. */
  failed(): void {
    const now = this.#clock.now();
    if (now < this.#openUntil) return;
    this.#failures = this.#failures.filter((at) => at > now - failureWindowMs);
    this.#failures.push(now);
    if (this.#openings === 0 && this.#failures.length < failuresThatOpen) return;
    this.#openUntil = now + Math.min(firstOpenMs * 2 ** this.#openings, maxOpenMs);
    this.#openings += 1;
  }

  /** The source asked for silence; undefined: without saying how long. */
  pause(milliseconds: number | undefined): void {
    const own = Math.min(this.limits.pauseMs * 2 ** this.#pauses, maxSilenceMs);
    this.#pauses += 1;
    this.#silentUntil = Math.max(this.#silentUntil, this.#clock.now() + (milliseconds ?? own));
  }

  #refuseWhileOpen(): void {
    const isOpen = this.#clock.now() < this.#openUntil;
    if (isOpen || (this.#openings > 0 && this.#running > 1)) {
      throw new DataSourceRequestNotSentError("has failed too often lately");
    }
  }

  async #silence(): Promise<void> {
    const rest = this.#silentUntil - this.#clock.now();
    if (rest > maxWaitMs) throw new DataSourceRequestNotSentError("asked us to wait");
    if (rest > 0) await delay(rest);
  }

  async #token(): Promise<void> {
    const now = this.#clock.now();
    const interval = 1000 / this.limits.perSecond;
    const fullAt = Math.max(this.#bucketFullAt, now) + interval;
    const wait = fullAt - now - this.limits.burst * interval;
    if (wait > maxWaitMs)
      throw new DataSourceRequestNotSentError("was not asked: we ask it no faster");
    this.#bucketFullAt = fullAt;
    if (wait > 0) await delay(wait);
  }

  async #place(): Promise<void> {
    if (this.#running >= this.limits.concurrency) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running += 1;
  }
}
