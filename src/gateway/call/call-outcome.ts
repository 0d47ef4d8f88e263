import type { SkippedTarget } from "../../domain/call-log-entry.ts";
import type { CallTokenUsage } from "../../domain/reservation.ts";
import type { CallAttemptsTrace } from "../upstream/attempt-trace.ts";
import type { CallerResponseOutcome } from "./response-outcome.ts";
import type { CallReservation } from "./call-reservation.ts";
import type { PartiallyRoutedCall } from "./model-call.ts";

/** How a call ended: what its log line, its metrics and the ledger are told, whatever happened. */
export interface CallOutcome {
  /** As far as it came. */
  readonly call: PartiallyRoutedCall;
  readonly response: CallerResponseOutcome;
  /** Undefined: nothing of an answer reached its caller, who did not leave it either. */
  readonly used: CallTokenUsage | undefined;
  /** Targets of an alias that were passed over. */
  readonly skipped: readonly SkippedTarget[];
  /** Undefined: it did not come to a dial. */
  readonly attempts: CallAttemptsTrace | undefined;
  /** Undefined: it is not paid from the wallet. */
  readonly reservation: CallReservation | undefined;
}
