import type { SkippedTarget } from "../../kernel/kept-call.ts";
import type { UsedTokens } from "../../kernel/reservation.ts";
import type { DialTrace } from "../dial/dial-trace.ts";
import type { AnswerOutcome } from "./answer-outcome.ts";
import type { Bill } from "./bill.ts";
import type { KnownCall } from "./model-call.ts";

/** How a call ended: what its log line, its metrics and the ledger are told, whatever happened. */
export interface CallEnd {
  /** As far as it came. */
  readonly call: KnownCall;
  readonly answer: AnswerOutcome;
  /** Undefined: nothing of an answer reached its caller. */
  readonly used: UsedTokens | undefined;
  /** Targets of an alias that were passed over. */
  readonly skipped: readonly SkippedTarget[];
  /** Undefined: it did not come to a dial. */
  readonly dials: DialTrace | undefined;
  /** Undefined: it is not paid from the wallet. */
  readonly bill: Bill | undefined;
}
