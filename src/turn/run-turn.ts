import type { AgentHistory, AgentTools } from "../kernel/agent-turn.ts";
import type { Clock } from "../platform/clock.ts";
import { AgentRun } from "./agent/agent-run.ts";
import { AnswerRun } from "./answer-run.ts";
import { commitOrLose, HeldTurn, TurnHold, type HeldTurnDependencies } from "./held-turn.ts";
import { restoreAsTold, restoreTurn, type RestoredTurn } from "./restore-turn.ts";
import type { ClaimedTurn } from "./turn-queue.ts";
import type { StoredTurn } from "./turn-store.ts";

/** What the turns of agents need beyond those of ordinary models. */
export interface AgentTurnDependencies {
  readonly tools: AgentTools;
  readonly history: AgentHistory;
}

/** What turns are run with. */
export interface TurnRunDependencies extends HeldTurnDependencies {
  readonly clock: Clock;
  /** Undefined: turns of agents end as failed here. */
  readonly agent: AgentTurnDependencies | undefined;
}

/** So often a turn is taken from processes that died, or lost it; then something is wrong with it. */
const attemptsAtMost = 30;

/** One turn, run by this process until it ends or is another's. */
export class TurnRun {
  readonly claim: ClaimedTurn;
  readonly #dependencies: TurnRunDependencies;
  readonly #hold = new TurnHold();
  /** Undefined: not read. */
  readonly #known: StoredTurn | undefined;
  /** Undefined: not restored yet. */
  #held: HeldTurn | undefined;

  /** `turn`: where this process has just stored it. */
  constructor(dependencies: TurnRunDependencies, claim: ClaimedTurn, turn?: StoredTurn) {
    this.#dependencies = dependencies;
    this.claim = claim;
    this.#known = turn;
  }

  /** Somebody asked for its end, or its key may not go on. */
  cancel(): void {
    this.#hold.cancel();
  }

  /** Looks whether the turn may still go on: its key, and what it dials. */
  async judge(): Promise<void> {
    await this.#held?.judge();
  }

  /** It is another process's now: nothing more is written. */
  lose(): void {
    this.#hold.lose();
  }

  /** Resolves when it has ended here; rejects with a fault of ours. */
  async run(): Promise<void> {
    const restored = await restoreTurn(this.#dependencies, this.claim, this.#known);
    if (restored === undefined) return this.#complete();
    if (this.claim.attempt > 1) this.#dependencies.counts.takenOver();
    if (restored.turn.isCancelled) this.cancel();
    await this.#orFail(restored);
  }

  /** A fault of ours ends the turn, which would else be taken, and called for, again and again. */
  async #orFail(restored: RestoredTurn): Promise<void> {
    const held = this.#holdTurn(restored);
    this.#held = held;
    try {
      if (this.claim.attempt > attemptsAtMost) throw new Error("the turn was taken too often");
      await this.#work(held, restored);
      // What was not kept of a turn that is lost here nobody keeps.
      await held.release();
      this.#hold.throwFault();
    } catch (error) {
      this.#hold.stop();
      await held.release();
      await this.#failAsKept().catch(() => undefined);
      throw error;
    }
  }

  #work(held: HeldTurn, restored: RestoredTurn): Promise<void> {
    const { agent } = restored.turn.content;
    if (agent === undefined) return new AnswerRun(held).run(restored);
    const { agent: parts, clock, store, counts } = this.#dependencies;
    if (parts === undefined) throw new Error("no turns of agents are run here");
    return new AgentRun({ ...parts, clock, store, counts }, held, agent).run(restored);
  }

  /** From what is kept: nobody was told the rest. */
  async #failAsKept(): Promise<void> {
    const restored = await restoreAsTold(this.#dependencies, this.claim);
    if (restored === undefined) return;
    const told = { code: "server_error", message: "The server failed." };
    const held = this.#holdTurn(restored);
    this.#hold.isLost = false;
    this.#hold.fault = undefined;
    const { agent, input } = restored.turn.content;
    await held.end(restored.journal.fail(told), undefined, agent && input);
  }

  #holdTurn(restored: RestoredTurn): HeldTurn {
    return new HeldTurn(this.#dependencies, this.claim, this.#hold, restored);
  }

  /** A turn that has ended, or is no more, leaves the queue. */
  async #complete(): Promise<void> {
    const { queue, fork } = this.#dependencies;
    await commitOrLose(fork, this.#hold, (em) => queue.complete(em, this.claim.runId));
  }
}
