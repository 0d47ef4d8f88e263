import type { EventEmitter } from "node:events";

/** A second signal within this time is the same Ctrl-C: under `npm start` it arrives twice. */
const sameSignalMs = 1000;

/**
 * Calls `drain` on the first SIGTERM or SIGINT, and `exitNow` on a second one that comes at
 * least a second later.
 */
export function onStopSignals(
  drain: (signal: string) => void,
  exitNow: () => void,
  source: EventEmitter = process,
): void {
  let firstAt: number | undefined;
  const receive = (signal: string): void => {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      drain(signal);
    } else if (now - firstAt >= sameSignalMs) {
      exitNow();
    }
  };
  source.on("SIGTERM", receive);
  source.on("SIGINT", receive);
}
