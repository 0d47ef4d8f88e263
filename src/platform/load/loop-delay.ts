import { performance } from "node:perf_hooks";

/** Tells again and again how many milliseconds late the event loop is; the result ends it. */
export type EventLoopDelayMonitor = (hear: (delayMs: number) => void) => () => void;

/** From one look at the loop to the next. */
export const eventLoopCheckIntervalMs = 100;

/**
 * Looks at the loop of this process by the lateness of a timer: everything else
 * that became ready at the time had to wait as long. A loop that stands still is
 * noticed when it goes on.
 */
export const watchEventLoopDelay: EventLoopDelayMonitor = (hear) => {
  let dueAt = performance.now() + eventLoopCheckIntervalMs;
  const timer = setInterval(() => {
    const now = performance.now();
    hear(Math.max(0, now - dueAt));
    dueAt = now + eventLoopCheckIntervalMs;
  }, eventLoopCheckIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
};
