import type { Call } from "../call.ts";
import { costOf, promptNano, type LedgerRow } from "./ledger-rows.ts";

/**
 * A killed process takes what ended in its last half second, and what the database had
 * not taken yet (`docs/storage.md`), which a machine that does all of this may need seconds for.
 */
const unwrittenMs = 5000;

/** Callers may hear in another order than rows are written: the clock is theirs. */
const skewMs = 500;

/** A kill; milliseconds of the wall clock. */
export interface Kill {
  readonly at: number;
  /** When the last call of the killed process ended whose row of own credentials was written. */
  readonly writtenUntil: number;
}

/** What is wrong with the rows of a call; `forgiven`: what a kill may take, as the documentation says. */
export type Verdict = "right" | "forgiven" | "lost" | "doubled" | "uncalled" | "wrong";

/** Holds the rows of one call against what its two ends saw. */
export function classifyCall(
  call: Call,
  rows: readonly LedgerRow[],
  kills: readonly Kill[],
): Verdict {
  const [row, ...others] = rows;
  if (others.length > 0) return "doubled";
  const kill = kills.find(({ at }) => call.startedAt <= at && call.endedAt > at - unwrittenMs);
  if (row === undefined) return judgeNone(call, kill);
  return call.isPaid ? judgePaid(call, row, kill !== undefined) : judgeUnpaid(call, row);
}

/**
 * A call that must be paid reaches no upstream before its row is there. Rows of own
 * credentials are written in order: one is not excused by a kill when later ones are there.
 */
function judgeNone(call: Call, kill: Kill | undefined): Verdict {
  if (call.isPaid) return call.seen > 0 ? "lost" : "right";
  if (!wasHeard(call)) return "right";
  const isExcused = kill !== undefined && call.endedAt > kill.writtenUntil - skewMs;
  return isExcused ? "forgiven" : "lost";
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
