import type { MaybePromise } from "../../platform/maybe-promise.ts";
import type { CallerResponseOutcome } from "./response-outcome.ts";
import type { CallReservation } from "./call-reservation.ts";
import type { CallOutcome } from "./call-outcome.ts";

/** Settles a call that has ended. A call without `used` is charged nothing. */
export function settleCallReservation({
  reservation: bill,
  used,
}: Pick<CallOutcome, "reservation" | "used">): MaybePromise<void> {
  if (bill === undefined) return undefined;
  const { reservation, checkpoints } = bill;
  clearInterval(checkpoints);
  return used === undefined ? reservation.release() : reservation.settle(used);
}

/**
 * Settles what one of several targets cost that failed before the caller heard of it:
 * what its vendor reported is charged, and nothing where it reported nothing.
 */
export function settleFailedAttempt(
  { reservation, checkpoints }: CallReservation,
  { usage, meter }: CallerResponseOutcome,
): Promise<void> {
  clearInterval(checkpoints);
  const told = usage ?? meter?.readUsage();
  if (told === undefined) return reservation.release();
  const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0, raw } = told;
  return reservation.settle({ input, cacheRead, cacheWrite, output, isEstimated: false, raw });
}
