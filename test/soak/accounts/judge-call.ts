import type { Call } from "../call.ts";
import { costOf, promptNano, type LedgerRow } from "./ledger-rows.ts";

/** A call that ended at most so long before a kill may not have been written, as `docs/storage.md` says. */
const unwrittenMs = 1000;

/** What is wrong with the rows of a call; `forgiven`: what a kill may take, as the documentation says. */
export type Verdict = "right" | "forgiven" | "lost" | "doubled" | "uncalled" | "wrong";

/** Holds the rows of one call against what its two ends saw. `kills`: milliseconds of the wall clock. */
export function judgeCall(
  call: Call,
  rows: readonly LedgerRow[],
  kills: readonly number[],
): Verdict {
  const [row, ...others] = rows;
  if (others.length > 0) return "doubled";
  const wasKilled = kills.some((at) => call.startedAt <= at && call.endedAt > at - unwrittenMs);
  if (row === undefined) return judgeNone(call, wasKilled);
  return call.isPaid ? judgePaid(call, row, wasKilled) : judgeUnpaid(call, row);
}

/** A call that must be paid reaches no upstream before its row is there. */
function judgeNone(call: Call, wasKilled: boolean): Verdict {
  if (call.isPaid) return call.seen > 0 ? "lost" : "right";
  if (!wasHeard(call)) return "right";
  return wasKilled ? "forgiven" : "lost";
}

/** Of an answer, whole or not, at least a part has reached the caller. */
function wasHeard({ outcome, bytes }: Call): boolean {
  return outcome === "whole" || (outcome !== "refused" && bytes > 0);
}

function judgeUnpaid(call: Call, { input, output }: LedgerRow): Verdict {
  if (call.seen === 0 || call.outcome === "refused") return "uncalled";
  if (call.outcome !== "whole") return "right";
  return input === call.number && output === call.output ? "right" : "wrong";
}

function judgePaid(call: Call, row: LedgerRow, wasKilled: boolean): Verdict {
  const verdict = judgePaidOfLiving(call, row);
  // Never more than was used, and no cent for nothing.
  const isForgiven = verdict === "wrong" && wasKilled && row.cost <= costOf(call);
  return isForgiven ? "forgiven" : verdict;
}

function judgePaidOfLiving(call: Call, { state, cost }: LedgerRow): Verdict {
  if (state === "held") return "wrong";
  if (call.outcome === "refused" || call.seen === 0) return cost === 0n ? "right" : "uncalled";
  if (call.outcome === "whole") return cost === costOf(call) ? "right" : "wrong";
  return !wasHeard(call) || cost >= promptNano ? "right" : "wrong";
}
