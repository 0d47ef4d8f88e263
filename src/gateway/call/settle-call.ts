import { newId } from "../../platform/ids.ts";
import type { Warm } from "../../platform/warm.ts";
import type { AnswerOutcome } from "./answer-outcome.ts";
import type { Bill } from "./bill.ts";
import type { CallEnd } from "./call-end.ts";
import type { Billing } from "./reserve-route.ts";
import { estimatedTokens } from "./text-length.ts";
import { usedTokens } from "./used-tokens.ts";

/**
 * Settles a call that has ended, or notes what it used where it cost nothing, which
 * is done at once. A call of which nothing reached its caller is charged nothing.
 */
export function settleCall(billing: Billing, end: CallEnd): Warm<void> {
  const { bill, answer } = end;
  if (bill === undefined) return noteUnpaid(billing, end);
  const { reservation, promptTokens, checkpoints } = bill;
  clearInterval(checkpoints);
  if (!answer.hasAnswer) return reservation.release();
  return reservation.settle(usedTokens(answer, promptTokens, true));
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

function noteUnpaid({ ledger, clock }: Billing, { call, answer }: CallEnd): void {
  const { key, plan, requestBytes = 0 } = call;
  if (key === undefined || plan === undefined || !answer.hasAnswer) return;
  const used = usedTokens(answer, estimatedTokens(requestBytes), false);
  const { input, cacheRead, cacheWrite, output, isEstimated, raw } = used;
  const now = clock.now();
  ledger.note({
    id: newId("call", now),
    accountId: key.principal.accountId,
    keyId: key.principal.keyId,
    model: plan.canonicalId,
    inputTokens: input + cacheRead + cacheWrite,
    cachedInputTokens: cacheRead,
    outputTokens: output,
    isEstimated,
    raw,
    startedAt: now - (performance.now() - call.startedAt),
  });
}
