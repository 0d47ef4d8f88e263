import type { TurnModelCallOutcome } from "../domain/durable-turn.ts";
import type { LeasedTurn } from "./leased-turn.ts";
import type { FinalResponseWithFrames } from "./journal/response-journal.ts";
import type { RestoredTurn } from "./restore-turn.ts";
import { runTurnModelStep } from "./step-model-call.ts";
import { hasTooManyInterruptedCalls, tooManyInterruptedCallsFailure } from "./step-record.ts";

/** The turn of an ordinary model: one call answers it. */
export class SingleCallTurnRun {
  readonly #turn: LeasedTurn;

  constructor(held: LeasedTurn) {
    this.#turn = held;
  }

  /** Resolves when the turn has ended, or is another's. */
  async run({
    turn,
    journal,
    lost,
    hadModelCall: wasDialled,
    stepRecords: notes,
  }: RestoredTurn): Promise<void> {
    const held = this.#turn;
    await held.interrupt();
    if (lost !== undefined) await held.settleOrphaned(lost);
    if (hasTooManyInterruptedCalls(notes, undefined)) {
      await held.runEnding(() => held.end(journal.fail(tooManyInterruptedCallsFailure), undefined));
      return;
    }
    const { request } = turn.content;
    const end = await runTurnModelStep(held, {
      request,
      signal: held.lease.signal,
      callId: held.claim.attempt === 1 ? request.callId : undefined,
      isRepeated: wasDialled,
    });
    if (held.lease.hasLostLease) return;
    await held.runEnding(() => held.end(this.#ending(end ?? {}), end));
  }

  /** A call that was stopped says nothing more, unless it had said all. */
  #ending({ terminal, error }: Partial<TurnModelCallOutcome>): FinalResponseWithFrames {
    const { journal, lease: hold } = this.#turn;
    if (terminal !== undefined) return journal.end(terminal);
    if (hold.isCancelled) return journal.stop("cancelled");
    if (hold.failure !== undefined) return journal.fail(hold.failure);
    if (!this.#turn.isActive && error === undefined) return journal.stop("cancelled");
    const nothing = { code: "server_error", message: "The model call came to nothing." };
    return journal.fail(error ?? nothing);
  }
}
