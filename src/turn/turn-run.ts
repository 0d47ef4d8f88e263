import type { ApprovalRequestSigner } from "../agent/run/approval-id.ts";
import type { AgentHistoryReader, AgentToolRuntime } from "../domain/agent-turn.ts";
import type { Clock } from "../platform/clock.ts";
import { noopMemoryReserver } from "../platform/hold-memory.ts";
import { AgentTurnRun } from "./agent/agent-run.ts";
import { minLargeTextCharacters } from "./large-work.ts";
import { failTurnWithoutReading, serverErrorTurnFailure } from "./fail-unread-turn.ts";
import { SingleCallTurnRun } from "./single-call-run.ts";
import {
  runTransactionMarkingLeaseLost,
  LeasedTurn,
  TurnLeaseState,
  type LeasedTurnDependencies,
} from "./leased-turn.ts";
import {
  restoreTurnFromEvents,
  restoreTurn,
  type RestoredTurn,
  type TurnRestoreHooks,
} from "./restore-turn.ts";
import type { ClaimedTurn } from "./turn-queue.ts";
import type { TurnLeaseLostError } from "./turn-lease-lost-error.ts";
import type { StoredTurn } from "./turn-store.ts";

/** What the turns of agents need beyond those of ordinary models. */
export interface AgentTurnDependencies {
  readonly tools: AgentToolRuntime;
  readonly history: AgentHistoryReader;
  readonly approvals: ApprovalRequestSigner;
}

/** What turns are run with. */
export interface TurnRunDependencies extends LeasedTurnDependencies {
  readonly clock: Clock;
  /** Undefined: turns of agents end as failed here. */
  readonly agent: AgentTurnDependencies | undefined;
}

const freeLoading: TurnRestoreHooks = { onLoaded: () => undefined, hold: noopMemoryReserver };

/**
 * So often a turn is taken from processes that died, or lost it; then something is wrong with it.
 * Of these, far fewer may have had a model call under way (`maxCrashedModelCallsPerStep`).
 */
const maxAttempts = 30;

/** One turn, run by this process until it ends or is another's. */
export class TurnRun {
  readonly claim: ClaimedTurn;
  readonly #dependencies: TurnRunDependencies;
  readonly #lease = new TurnLeaseState();
  /** Undefined: not read. */
  readonly #known: StoredTurn | undefined;
  /** Undefined: not restored yet. */
  #turn: LeasedTurn | undefined;

  /** `turn`: where this process has just stored it. */
  constructor(dependencies: TurnRunDependencies, claim: ClaimedTurn, turn?: StoredTurn) {
    this.#dependencies = dependencies;
    this.claim = claim;
    this.#known = turn;
  }

  /** Somebody asked for its end, or its key may not go on. */
  cancel(): void {
    this.#lease.cancel();
  }

  /** Whether it is leased for longer than other turns. */
  get isLarge(): boolean {
    return this.#lease.isLong;
  }

  /** Looks whether the turn may still go on: its key, and what it dials. */
  async checkStillAllowed(): Promise<void> {
    await this.#turn?.checkStillAllowed();
  }

  /** It is another process's now: nothing more is written. `error`: why, where that is known. */
  loseLease(error?: TurnLeaseLostError): void {
    this.#lease.loseLease(error);
  }

  /** Runs the turn and resolves when it has ended here. Rejects with an internal error. */
  async run(loading: TurnRestoreHooks = freeLoading): Promise<void> {
    if (this.claim.attempt > maxAttempts) {
      await failTurnWithoutReading(this.#dependencies, this.claim, this.#lease);
      throw new Error("the turn was taken too often");
    }
    if (this.claim.attempt > 1) await this.#prolongLargeLease();
    const restored = await restoreTurn(this.#dependencies, this.claim, this.#known);
    if (restored === undefined) return this.#complete();
    if (this.claim.attempt > 1) {
      this.#dependencies.counts.countTakeover();
      loading.hold(restoredBytes(restored));
    }
    if (restored.turn.isCancelled) this.cancel();
    await this.#orFail(restored, loading);
  }

  /** The events of a large turn may take longer to read than a usual lease. */
  async #prolongLargeLease(): Promise<void> {
    const { queue, store } = this.#dependencies;
    const { runId, turnId } = this.claim;
    if ((await store.eventBytes(turnId)) < minLargeTextCharacters) return;
    this.#lease.prolong();
    await queue.renew([runId], [runId]);
  }

  /** A fault of ours ends the turn, which would else be taken, and called for, again and again. */
  async #orFail(restored: RestoredTurn, loading: TurnRestoreHooks): Promise<void> {
    const held = this.#leaseTurn(restored);
    this.#turn = held;
    try {
      await this.#workOrFail(held, restored, loading);
    } finally {
      held.giveBack();
    }
  }

  async #workOrFail(
    held: LeasedTurn,
    restored: RestoredTurn,
    loading: TurnRestoreHooks,
  ): Promise<void> {
    try {
      await this.#work(held, restored, loading);
      // What was not kept of a turn that is lost here nobody keeps.
      await held.release();
      this.#lease.throwInternalError();
    } catch (error) {
      this.#lease.stop();
      await held.release();
      await this.#failFromStored().catch(() => undefined);
      throw error;
    }
  }

  #work(held: LeasedTurn, restored: RestoredTurn, loading: TurnRestoreHooks): Promise<void> {
    const { agent } = restored.turn.content;
    if (agent === undefined) {
      loading.onLoaded();
      return new SingleCallTurnRun(held).run(restored);
    }
    const { agent: parts, clock, store, counts } = this.#dependencies;
    if (parts === undefined) throw new Error("no turns of agents are run here");
    return new AgentTurnRun({ ...parts, clock, store, counts }, held, agent).run(restored, loading);
  }

  /** From what is kept: nobody was told the rest. */
  async #failFromStored(): Promise<void> {
    const restored = await restoreTurnFromEvents(this.#dependencies, this.claim);
    if (restored === undefined) return;
    const held = this.#leaseTurn(restored);
    this.#lease.hasLostLease = false;
    this.#lease.internalError = undefined;
    const { agent, input } = restored.turn.content;
    await held.runEnding(() =>
      held.end(restored.journal.fail(serverErrorTurnFailure), undefined, agent && input),
    );
  }

  #leaseTurn(restored: RestoredTurn): LeasedTurn {
    return new LeasedTurn(this.#dependencies, this.claim, this.#lease, restored);
  }

  /** A turn that has ended, or is no more, leaves the queue. */
  async #complete(): Promise<void> {
    const { queue, fork } = this.#dependencies;
    await runTransactionMarkingLeaseLost(fork, this.#lease, (em) =>
      queue.complete(em, this.claim.runId),
    );
  }
}

/** Memory of what the turn has gathered in other processes, about. */
function restoredBytes({ journal, stepRecords }: RestoredTurn): number {
  return journal.size + 2 * JSON.stringify(stepRecords).length;
}
