import type { TurnCallEnd } from "../kernel/durable-turn.ts";
import type { HeldTurn } from "./held-turn.ts";
import type { JournalEnding } from "./journal/response-journal.ts";
import type { RestoredTurn } from "./restore-turn.ts";
import { callStep } from "./step-calls.ts";

/** The turn of an ordinary model: one call answers it. */
export class AnswerRun {
  readonly #held: HeldTurn;

  constructor(held: HeldTurn) {
    this.#held = held;
  }

  /** Resolves when the turn has ended, or is another's. */
  async run({ turn, journal, lost, wasDialled }: RestoredTurn): Promise<void> {
    const held = this.#held;
    await held.tell(journal.interrupt());
    if (lost !== undefined) await held.settleLost(lost);
    const { request } = turn.content;
    const end = await callStep(held, {
      request,
      signal: held.hold.signal,
      callId: held.claim.attempt === 1 ? request.callId : undefined,
      isRepeated: wasDialled,
    });
    if (held.hold.isLost) return;
    await held.end(end === undefined ? journal.stop("cancelled") : this.#ending(end), end);
  }

  /** A call that was stopped says nothing more, unless it had said all. */
  #ending({ terminal, error }: TurnCallEnd): JournalEnding {
    const { journal, hold } = this.#held;
    if (terminal !== undefined) return journal.end(terminal);
    if (hold.isCancelled) return journal.stop("cancelled");
    const nothing = { code: "server_error", message: "The model call came to nothing." };
    return journal.fail(error ?? nothing);
  }
}
