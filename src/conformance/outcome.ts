/** How one case ended. */
export type ConformanceCaseOutcome = "passed" | "failed" | "skipped";

/** What must hold does not. */
export class ConformanceCaseFailedError extends Error {
  override readonly name = "ConformanceCaseFailedError";
}

/** Nothing can be said: the model, or the gateway, did not come to the point. */
export class ConformanceCaseSkippedError extends Error {
  override readonly name = "ConformanceCaseSkippedError";
}

/** Fails the case with a sentence unless it holds. */
export function failCaseUnless(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new ConformanceCaseFailedError(otherwise);
}

/** Skips the case with a reason unless it can go on. */
export function skipCaseUnless(canGoOn: boolean, otherwise: string): asserts canGoOn {
  if (!canGoOn) throw new ConformanceCaseSkippedError(otherwise);
}
