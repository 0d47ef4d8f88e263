import type { Warm } from "../../platform/warm.ts";
import type { AnswerOutcome } from "./answer-outcome.ts";
import type { Bill } from "./bill.ts";
import type { CallEnd } from "./call-end.ts";

/** Settles a call that has ended. One of which nothing reached its caller is charged nothing. */
export function settleCall({ bill, used }: Pick<CallEnd, "bill" | "used">): Warm<void> {
  if (bill === undefined) return undefined;
  const { reservation, checkpoints } = bill;
  clearInterval(checkpoints);
  return used === undefined ? reservation.release() : reservation.settle(used);
}

/**
 * Settles what one of several targets cost that failed before the caller heard of it:
 * what its vendor reported is charged, and nothing where it reported nothing.
 */
export function settleFailedRoute(
  { reservation, checkpoints }: Bill,
  { usage, meter }: AnswerOutcome,
): Promise<void> {
  clearInterval(checkpoints);
  const told = usage ?? meter?.readUsage(true);
  if (told === undefined) return reservation.release();
  const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0, raw } = told;
  return reservation.settle({ input, cacheRead, cacheWrite, output, isEstimated: false, raw });
}
