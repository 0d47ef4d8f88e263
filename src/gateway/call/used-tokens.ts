import type { UsedTokens } from "../../kernel/reservation.ts";
import type { AnswerOutcome } from "./answer-outcome.ts";
import type { Bill } from "./bill.ts";
import type { KnownCall } from "./model-call.ts";

/**
 * What a call has used: what its upstream told, and where nothing was told what was
 * relayed. `promptTokens` is an estimate; what is paid for is read more exactly.
 */
export function usedTokens(
  answer: AnswerOutcome,
  promptTokens: number,
  isPaid: boolean,
): UsedTokens {
  const told = answer.usage ?? answer.meter?.readUsage(isPaid);
  const output = outputOf(answer, told?.output);
  return {
    input: told?.input ?? promptTokens,
    cacheRead: told?.cacheRead ?? 0,
    cacheWrite: told?.cacheWrite ?? 0,
    output,
    isEstimated: told?.input === undefined || told.output !== output,
    raw: told?.raw,
  };
}

/** What a call has used that has ended; undefined: nothing of an answer reached its caller. */
export function usedAtEnd(
  answer: AnswerOutcome,
  { estimatedInput = 0 }: KnownCall,
  bill: Bill | undefined,
): UsedTokens | undefined {
  if (!answer.hasAnswer) return undefined;
  return bill === undefined
    ? usedTokens(answer, estimatedInput, false)
    : usedTokens(answer, bill.promptTokens, true);
}

/**
 * A messages upstream counts the first token when its stream begins and the others
 * at its end: of a stream that was cut, what was relayed says more.
 */
function outputOf({ isWhole, meter }: AnswerOutcome, told: number | undefined): number {
  if (isWhole && told !== undefined) return told;
  return Math.max(told ?? 0, meter?.relayedTokens() ?? 0);
}
