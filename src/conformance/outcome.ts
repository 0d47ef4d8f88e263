/** How one case ended. */
export type CaseOutcome = "passed" | "failed" | "skipped";

/** What must hold does not. */
export class CaseFailedError extends Error {
  override readonly name = "CaseFailedError";
}

/** Nothing can be said: the model, or the gateway, did not come to the point. */
export class CaseSkippedError extends Error {
  override readonly name = "CaseSkippedError";
}

/** Fails the case with a sentence unless it holds. */
export function assertCase(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new CaseFailedError(otherwise);
}

/** Skips the case with a reason unless it can go on. */
export function skipCaseUnless(canGoOn: boolean, otherwise: string): asserts canGoOn {
  if (!canGoOn) throw new CaseSkippedError(otherwise);
}
