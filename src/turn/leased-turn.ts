import type { EntityManager } from "@mikro-orm/postgresql";
import type { JsonObject } from "../dialect/json.ts";
import {
  maxAccumulatedTurnBytes,
  type OrphanedCallRecoveryRecord,
  type ResponsesStreamEvent,
  type TurnModelCallInput,
  type TurnModelCallOutcome,
  type TurnFailure,
  type TurnModelCallUsage,
  type TurnModelCaller,
  type StoredTurnRequest,
} from "../domain/durable-turn.ts";
import { ApiError } from "../platform/errors.ts";
import type {
  MemoryReleaser,
  MemoryReserver,
  MemoryReservationScope,
} from "../platform/hold-memory.ts";
import type { TurnMetrics } from "../platform/telemetry/turn-metrics.ts";
import type { FinalResponseWithFrames, TurnEventJournal } from "./journal/response-journal.ts";
import { minLargeTextCharacters, turnEndingWorkLimiter } from "./large-work.ts";
import type { InterruptedModelCall } from "./restore-turn.ts";
import { TurnLeaseLostError } from "./turn-lease-lost-error.ts";
import type { InProcessTurnNotifier } from "./turn-notifier.ts";
import type { ClaimedTurn, TurnQueue } from "./turn-queue.ts";
import { largeTurnLeaseSeconds, turnLeaseSeconds } from "./turn-statements.ts";
import type { TurnFrameBatch, StoredTurn, TurnStore } from "./turn-store.ts";
import { TurnEventWriter, retryWhileDatabaseDown } from "./turn-writer.ts";

/** What turns are held with. */
export interface LeasedTurnDependencies {
  readonly queue: TurnQueue;
  readonly store: TurnStore;
  readonly caller: TurnModelCaller;
  /** Hears what has been kept. */
  readonly notifier: InProcessTurnNotifier;
  readonly fork: () => EntityManager;
  readonly counts: TurnMetrics;
}

const memoryMessage =
  "The turn needs more memory than the other calls of this account leave free; make fewer calls at once.";

/** A model call, and how it stands among those of its turn. */
export interface TurnModelCall {
  readonly request: StoredTurnRequest;
  readonly callId: string;
  /** Made again because a process died. */
  readonly isRepeated: boolean;
  readonly signal: AbortSignal;
  /** Of an agent's turn: which step it is. */
  readonly step?: number;
  /** Bytes that the turn has gathered, where that may be more than it told. */
  readonly gathered?: number;
  /** What callers are told of an event of its answer; by default all. */
  readonly translate?: (event: ResponsesStreamEvent) => readonly ResponsesStreamEvent[];
}

/** Whether a turn may go on here: somebody asked for its end, or another process has it. */
export class TurnLeaseState {
  readonly #stop = new AbortController();
  isCancelled = false;
  hasLostLease = false;
  /** The lease ran out while this process lived, and another process has the turn. */
  isTaken = false;
  /** The failure that the turn is to end with; undefined: there is none. */
  failure: TurnFailure | undefined;
  /** How long the turn is leased from each of its writes. */
  seconds = turnLeaseSeconds;
  /** Why events could not be kept, where that is a fault of ours; undefined: all were. */
  internalError: unknown;

  /** Aborted: what is under way is to end at once. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether nothing more is written. */
  get isStopped(): boolean {
    return this.hasLostLease;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Others need the memory of the turn. */
  giveWay(failure: TurnFailure): void {
    this.failure ??= failure;
    this.stop();
  }

  cancel(): void {
    this.isCancelled = true;
    this.stop();
  }

  /** `error`: why, where that is known. */
  loseLease(error?: unknown): void {
    this.hasLostLease = true;
    this.isTaken ||= error instanceof TurnLeaseLostError;
    this.stop();
  }

  /** Work with the turn may take longer than a usual lease from now on. */
  prolong(): void {
    this.seconds = largeTurnLeaseSeconds;
  }

  get isLong(): boolean {
    return this.seconds === largeTurnLeaseSeconds;
  }

  /** What could not be kept leaves a gap behind which the turn must not end as if nothing were missing. */
  throwInternalError(): void {
    if (this.internalError !== undefined) throw this.internalError;
  }
}

/**
 * A turn that this process holds: its events are kept before anybody is sent them, and
 * what a step used, what came of it and its last events are one transaction, which begins
 * with the queue's word that the turn is this process's.
 */
export class LeasedTurn {
  readonly claim: ClaimedTurn;
  readonly turn: StoredTurn;
  readonly journal: TurnEventJournal;
  readonly lease: TurnLeaseState;
  readonly #dependencies: LeasedTurnDependencies;
  readonly #writer: TurnEventWriter;
  readonly #memory: MemoryReservationScope;
  /** Memory of the answers of its model calls. */
  readonly #answers: MemoryReleaser[] = [];
  /** The last model call; undefined: none was made. */
  #dialled: Pick<OrphanedCallRecoveryRecord, "callId" | "model" | "route"> | undefined;

  constructor(
    dependencies: LeasedTurnDependencies,
    claim: ClaimedTurn,
    hold: TurnLeaseState,
    held: Pick<LeasedTurn, "turn" | "journal">,
  ) {
    this.#dependencies = dependencies;
    this.claim = claim;
    this.lease = hold;
    this.turn = held.turn;
    this.journal = held.journal;
    this.#memory = dependencies.caller.openMemory(held.turn.accountId);
    const lost = (error: unknown): void => {
      if (!(error instanceof TurnLeaseLostError)) hold.internalError = error;
      hold.loseLease(error);
    };
    this.#writer = new TurnEventWriter(dependencies, claim, held.journal.next, lost, hold);
  }

  /** Neither cancelled nor lost, nor stopped by a fault. */
  get isActive(): boolean {
    return !this.lease.signal.aborted;
  }

  /** Counts what the turn holds to its account, until it is given back or the turn has ended here. */
  get hold(): MemoryReserver {
    return this.#memory.hold;
  }

  /** Counts what the turn has to hold; where its account holds too much, the turn ends as failed. */
  holdOrGiveWay(bytes: number): void {
    try {
      this.hold(bytes);
    } catch (error) {
      this.giveWayTo(error);
    }
  }

  /** Ends the turn as failed where its account holds too much; throws any other error. */
  giveWayTo(error: unknown): void {
    if (!(error instanceof ApiError)) throw error;
    this.lease.giveWay({ code: error.code, message: memoryMessage });
  }

  /** Gives all memory back that was counted: the turn has ended here. */
  giveBack(): void {
    this.#memory.giveBack();
    for (const giveBack of this.#answers) giveBack();
  }

  /** Looks whether the turn may still go on: its key, and what it dials. */
  async checkStillAllowed(): Promise<void> {
    const { caller } = this.#dependencies;
    if (!(await caller.canContinue(this.turn, this.#dialled))) this.lease.cancel();
  }

  /** Frames to be kept and sent; a promise where no more should be made until it resolves. */
  push(frames: readonly string[]): Promise<void> | undefined {
    if (this.journal.size >= minLargeTextCharacters) this.lease.prolong();
    return this.#writer.push(frames);
  }

  /** The call under way broke off: tells the ends of what it had begun to say. */
  interrupt(): Promise<void> {
    return this.runEnding(async () => {
      await this.push(this.journal.interrupt());
    });
  }

  /** Writes the last events, which repeat the answer; of a large turn, when no other turn of this process does. */
  runEnding(work: () => Promise<void>): Promise<void> {
    return turnEndingWorkLimiter.run(this.journal.size, work);
  }

  /** Writes nothing more of what was told; resolves when nothing is being written. */
  async release(): Promise<void> {
    await this.#writer.take();
    const { queue } = this.#dependencies;
    // It lives: its call has not ended it, and is not to count as one that did.
    if (this.lease.isTaken && this.#dialled !== undefined)
      await queue.recordSurvival(this.claim, this.#dialled.callId).catch(() => undefined);
  }

  /** Makes a model call, whose answer is told as it comes. */
  async callModel(dial: TurnModelCall): Promise<TurnModelCallOutcome> {
    const { id, accountId, keyId, content } = this.turn;
    const { request, callId, isRepeated, signal, gathered = 0, translate = asItself } = dial;
    const call: TurnModelCallInput = {
      turnId: id,
      accountId,
      keyId,
      request,
      callId,
      isMadeByAgent: content.agent !== undefined,
      isRepeated,
      room: maxAccumulatedTurnBytes - Math.max(gathered, this.journal.bytes),
      signal,
      recordIntent: (intent) => this.#intend(dial, intent),
      push: (event) => this.push(translate(event).flatMap((one) => this.journal.take(one))),
      takeMemory: (giveBack) => void this.#answers.push(giveBack),
      giveWay: (reason) => this.lease.giveWay(reason),
    };
    this.#dependencies.counts.countStep("model_call");
    return this.#dependencies.caller.call(call);
  }

  /** Notes what a step is about to do, for whoever takes the turn over; waits while the database is away. */
  async recordStep(step: string, note: object): Promise<void> {
    const { queue } = this.#dependencies;
    try {
      await retryWhileDatabaseDown(() => queue.recordStep(this.claim, step, note), this.lease);
    } catch (error) {
      this.lease.loseLease(error);
      if (!(error instanceof TurnLeaseLostError)) throw error;
    }
  }

  /** A step has ended, with what is noted of that, its last events and what `work` writes. */
  async endStep(
    step: string,
    note: object,
    work: (em: EntityManager) => Promise<void>,
  ): Promise<void> {
    const { queue } = this.#dependencies;
    await this.#writer.flushWith((batch) =>
      this.commit(async (em) => {
        await queue.recordStepEnd(em, this.claim, step, note, this.lease.seconds);
        await this.#append(em, batch);
        await work(em);
      }),
    );
  }

  /** A call that nobody heard the end of is paid for by what was told. */
  async settleOrphaned(
    { intent, sentCharacters: told }: InterruptedModelCall,
    noteOf: (used: TurnModelCallUsage) => object = () => ({}),
  ): Promise<void> {
    const { caller, queue } = this.#dependencies;
    this.#dialled = intent;
    await this.commit(async (em) => {
      const used = await caller.settleOrphaned(em, this.turn, intent, told);
      const note = { ...noteOf(used), isLost: true };
      await queue.recordStepEnd(em, this.claim, intent.callId, note, this.lease.seconds);
    });
  }

  /** The turn has ended; called in `runEnding`. `items`: what an agent's adds to its thread. */
  async end(
    { frames, response }: FinalResponseWithFrames,
    end: TurnModelCallOutcome | undefined,
    items?: readonly JsonObject[],
  ): Promise<void> {
    const { store, queue, notifier: news, counts } = this.#dependencies;
    const { agent } = this.turn.content;
    await this.push(frames.slice(0, -1));
    // The next process would continue behind the last event if that were stored before the end.
    const last = await this.#writer.take(frames.slice(-1));
    this.lease.throwInternalError();
    const sealed = await store.sealEnd(this.turn.id, response, last, items);
    await this.commit(async (em) => {
      await queue.assertLease(em, this.claim.runId);
      // One that was deleted meanwhile leaves nothing but what it used.
      const isThere = await store.end(em, this.turn.id, sealed);
      await end?.commit(em, isThere ? response : undefined);
      // Those of an agent hold what was said: nobody needs them any more.
      if (agent !== undefined) await queue.deleteStepRecords(em, this.claim);
      await queue.complete(em, this.claim.runId);
    });
    if (this.lease.hasLostLease) return;
    news.notify(this.turn.id, { batches: [last], hasEnded: true });
    counts.countEnd(String(response["status"]), agent?.engine);
  }

  async commit(work: (em: EntityManager) => Promise<void>): Promise<void> {
    const { fork, caller } = this.#dependencies;
    await runTransactionMarkingLeaseLost(fork, this.lease, work, () => caller.prepareTransaction());
  }

  async #intend(
    { isRepeated, step }: TurnModelCall,
    intent: Parameters<TurnModelCallInput["recordIntent"]>[0],
  ): Promise<void> {
    this.#dialled = intent;
    const note = { ...intent, toldBefore: this.journal.next, isRepeated, ...(step && { step }) };
    await this.#dependencies.queue.recordStepUnflushed(this.claim, `${intent.callId} begins`, note);
  }

  async #append(em: EntityManager, { first, frames }: TurnFrameBatch): Promise<void> {
    if (frames.length === 0) return;
    const { queue, store } = this.#dependencies;
    const sealed = await store.sealFrames(this.turn.id, first, frames);
    const last = first + frames.length - 1;
    await queue.appendInTransaction(em, this.claim, first, last, sealed, this.lease.seconds);
  }
}

/** One transaction of a turn; where the turn has become another's, it is lost here. */
export async function runTransactionMarkingLeaseLost(
  fork: () => EntityManager,
  hold: TurnLeaseState,
  work: (em: EntityManager) => Promise<void>,
  prepare?: () => Promise<void>,
): Promise<void> {
  const once = async (): Promise<void> => {
    await prepare?.();
    await fork().transactional(work);
  };
  try {
    await retryWhileDatabaseDown(once, hold);
  } catch (error) {
    hold.loseLease(error);
    if (!(error instanceof TurnLeaseLostError)) throw error;
  }
}

function asItself(event: ResponsesStreamEvent): readonly ResponsesStreamEvent[] {
  return [event];
}
