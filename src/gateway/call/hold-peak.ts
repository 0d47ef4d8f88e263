import { ApiError } from "../../platform/errors.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";

/** Room is asked for in steps of so many bytes; the first step needs none, and most events are smaller. */
const stepBytes = 64 * 1024;

/** Counts the most bytes that a reader of an answer holds at a time. Throws 429 or 503. */
export type UpstreamDataMemoryCounter = (bytes: number) => void;

/**
 * Counts what is held of an upstream's unfinished event, body or answer among the bytes that
 * the account of its call holds: an upstream of the account's own may never end it.
 */
export function createUpstreamDataMemoryCounter(hold: MemoryReserver): UpstreamDataMemoryCounter {
  let peak = stepBytes;
  return (bytes) => {
    if (bytes <= peak) return;
    const steps = Math.ceil((bytes - peak) / stepBytes);
    holdStep(hold, steps * stepBytes);
    peak += steps * stepBytes;
  };
}

/** The errors of request bodies would tell the caller to send a smaller one. */
function holdStep(hold: MemoryReserver, bytes: number): void {
  try {
    hold(bytes);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(
      error.code === "unavailable" ? "unavailable" : "rate_limited",
      "The upstream sent more of an answer than may be held beside the other calls of this account; make fewer calls at once, or ask for a shorter answer.",
      { retryAfterSeconds: 1 },
    );
  }
}
