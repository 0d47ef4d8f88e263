/** The one source of time, injected so that tests own it. */
export interface Clock {
  /** Milliseconds since the Unix epoch, or since the process started: see `monotonicClock`. */
  now(): number;
}

/** Wall time. It steps back when the machine's clock is set back. */
export const systemClock: Clock = { now: () => Date.now() };

/** Never steps back. Only differences of its times mean something, and only in this process. */
export const monotonicClock: Clock = { now: () => performance.now() };
