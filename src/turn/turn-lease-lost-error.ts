/** The run of a turn is no longer this worker's: its lease ran out and another took it, or it has ended. */
export class TurnLeaseLostError extends Error {
  override readonly name = "TurnLeaseLostError";
  readonly runId: string;

  constructor(runId: string, options?: ErrorOptions) {
    super(`the run ${runId} is no longer held`, options);
    this.runId = runId;
  }
}
