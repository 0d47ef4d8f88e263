/** A parse that pauses after each entry of its text, so that its caller can let other work run. */
export type PausableParse<Result> = Generator<undefined, Result>;

/** Runs a parse to its end without a pause. */
export function runPausableParseToEnd<Result>(steps: PausableParse<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
