import type { CallTokenUsage } from "../../domain/reservation.ts";
import type { CallerResponseOutcome } from "./response-outcome.ts";
import type { CallOutcome } from "./call-outcome.ts";
import type { PartiallyRoutedCall } from "./model-call.ts";

/**
 * What a call has used: what its upstream told, and where nothing was told what was
 * relayed. `promptTokens` is an estimate.
 */
export function computeCallTokenUsage(
  answer: CallerResponseOutcome,
  promptTokens: number,
): CallTokenUsage {
  const told = answer.usage ?? answer.meter?.readUsage();
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

/**
 * What a call has used that has ended; undefined: nothing of an answer reached its caller. A
 * vendor bills a prompt that it has begun to read, so the caller who leaves it then pays for it.
 */
export function computeFinalCallTokenUsage(
  answer: CallerResponseOutcome,
  { estimatedInput = 0 }: PartiallyRoutedCall,
  { reservation: bill, attempts }: Pick<CallOutcome, "reservation" | "attempts">,
): CallTokenUsage | undefined {
  const isLeftWorking = answer.isAborted && attempts?.isUpstreamWorking === true;
  if (!answer.hasBody && !isLeftWorking) return undefined;
  return computeCallTokenUsage(answer, bill?.promptTokens ?? estimatedInput);
}

/**
 * A messages upstream counts the first token when its stream begins and the others
 * at its end: of a stream that was cut, what was relayed says more.
 */
function outputOf(
  { isComplete: isWhole, meter }: CallerResponseOutcome,
  told: number | undefined,
): number {
  if (isWhole && told !== undefined) return told;
  return Math.max(told ?? 0, meter?.relayedTokens() ?? 0);
}
