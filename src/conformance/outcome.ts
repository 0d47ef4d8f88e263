/** How one case ended. */
export type CaseOutcome = "passed" | "failed" | "skipped";

/** What must hold does not. */
export class CaseFailed extends Error {
  override readonly name = "CaseFailed";
}

/** Nothing can be said: the model, or the gateway, did not come to the point. */
export class CaseSkipped extends Error {
  override readonly name = "CaseSkipped";
}

/** Fails the case with a sentence unless it holds. */
export function mustHold(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new CaseFailed(otherwise);
}

/** Skips the case with a reason unless it can go on. */
export function orSkip(canGoOn: boolean, otherwise: string): asserts canGoOn {
  if (!canGoOn) throw new CaseSkipped(otherwise);
}
