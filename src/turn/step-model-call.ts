import { setTimeout as delay } from "node:timers/promises";
import type { TurnModelCallOutcome } from "../domain/durable-turn.ts";
import { newResourceId } from "../platform/ids.ts";
import type { LeasedTurn, TurnModelCall } from "./leased-turn.ts";

/** A model call that fails in passing is made so often. */
const maxCalls = 3;

/** Before a call is made again. */
const pauseMs = 500;

/** The model call of a step: what of it is the same each time that it is made. */
export interface StepModelCallInput extends Pick<
  TurnModelCall,
  "request" | "signal" | "step" | "gathered"
> {
  /** Of the first call, where its caller was told it. */
  readonly callId: string | undefined;
  readonly isRepeated: boolean;
  /** For each call that is made: what callers are told of its events. */
  readonly translation?: () => NonNullable<TurnModelCall["translate"]>;
  /** What is noted of a call that has failed in passing. */
  readonly recordOf?: (end: TurnModelCallOutcome) => object;
}

/**
 * Makes the model call of a step, again where it fails in passing; what a failed one used
 * is written, and what was half told is closed. Undefined: none was made, for the turn
 * goes on no more.
 */
export async function runTurnModelStep(
  held: LeasedTurn,
  step: StepModelCallInput,
): Promise<TurnModelCallOutcome | undefined> {
  const { signal, recordOf: noteOf = () => ({}) } = step;
  for (let made = 1; ; made++) {
    await held.checkStillAllowed();
    if (!held.isActive || signal.aborted) return undefined;
    const callId = (made === 1 ? step.callId : undefined) ?? newResourceId("call");
    const translate = step.translation?.();
    const isRepeated = made === 1 && step.isRepeated;
    const end = await held.callModel({
      ...step,
      callId,
      isRepeated,
      ...(translate && { translate }),
    });
    const isMadeAgain = end.error !== undefined && end.isRetryable && made < maxCalls;
    if (!isMadeAgain || !held.isActive || signal.aborted) return end;
    await held.interrupt();
    await held.endStep(end.callId, noteOf(end), (em) => end.commit(em, undefined));
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
