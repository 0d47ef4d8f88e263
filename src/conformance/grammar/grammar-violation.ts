/** One place where a stream breaks a rule of its dialect. */
export interface DialectStreamViolation {
  /** Short name of the rule, stable: `block-order`. */
  readonly rule: string;
  /** Number of the event, from 0; the number of events where the end is wrong. */
  readonly event: number;
  /** What was wrong, one sentence. */
  readonly message: string;
}
