import { setTimeout as delay } from "node:timers/promises";
import type { EntityManager } from "@mikro-orm/postgresql";
import type {
  CallIntent,
  ResponseEvent,
  TurnCall,
  TurnCallEnd,
  TurnCaller,
} from "../kernel/durable-turn.ts";
import { newId } from "../platform/ids.ts";
import type { Ending, ResponseJournal } from "./journal/response-journal.ts";
import { restoreAsTold, restoreTurn, type LostCall, type RestoredTurn } from "./restore-turn.ts";
import type { TurnMetrics } from "../platform/telemetry/turn-metrics.ts";
import { TurnLost } from "./turn-lost.ts";
import type { TurnNews } from "./turn-news.ts";
import type { ClaimedTurn, TurnQueue } from "./turn-queue.ts";
import type { StoredTurn, TurnStore } from "./turn-store.ts";
import { TurnWriter, whileAway } from "./turn-writer.ts";

/** What turns are run with. */
export interface TurnRunDependencies {
  readonly queue: TurnQueue;
  readonly store: TurnStore;
  readonly caller: TurnCaller;
  /** Hears what has been kept. */
  readonly news: TurnNews;
  readonly fork: () => EntityManager;
  readonly counts: TurnMetrics;
}

/** A model call that fails in passing is made so often. */
const callsAtMost = 3;

/** So often a turn is taken from processes that died, or lost it; then something is wrong with it. */
const attemptsAtMost = 30;

/** Before a call is made again. */
const pauseMs = 500;

/**
 * One turn, run by this process until it ends or is another's. Its events are kept
 * before anybody is sent them; what a model call used, the answer and the end of the turn
 * are one transaction with the last events.
 */
export class TurnRun {
  readonly claim: ClaimedTurn;
  readonly #dependencies: TurnRunDependencies;
  /** Undefined: not read yet. */
  #turn: StoredTurn | undefined;
  /** The last model call; undefined: none was made. */
  #dialled: Pick<CallIntent, "model" | "route"> | undefined;
  /** Ends the model call under way. */
  readonly #stop = new AbortController();
  #isCancelled = false;
  #isLost = false;
  /** Why events could not be kept, where that is a fault of ours; undefined: all were. */
  #fault: unknown;

  /** `turn`: where this process has just stored it. */
  constructor(dependencies: TurnRunDependencies, claim: ClaimedTurn, turn?: StoredTurn) {
    this.#dependencies = dependencies;
    this.claim = claim;
    this.#turn = turn;
  }

  /** Whether it writes nothing more. */
  get isStopped(): boolean {
    return this.#isLost;
  }

  /** Somebody asked for its end, or its key may not go on. */
  cancel(): void {
    this.#isCancelled = true;
    this.#stop.abort();
  }

  /** Looks whether the turn may still go on: its key, and what it dials. */
  async judge(): Promise<void> {
    const turn = this.#turn;
    if (turn === undefined) return;
    if (!(await this.#dependencies.caller.mayGoOn(turn, this.#dialled))) this.cancel();
  }

  /** It is another process's now: nothing more is written. */
  lose(): void {
    this.#isLost = true;
    this.#stop.abort();
  }

  /** Resolves when it has ended here; rejects with a fault of ours. */
  async run(): Promise<void> {
    const restored = await restoreTurn(this.#dependencies, this.claim, this.#turn);
    if (restored === undefined) return this.#complete();
    if (this.claim.attempt > 1) this.#dependencies.counts.takenOver();
    this.#turn = restored.turn;
    this.#dialled = restored.lost?.intent;
    if (restored.turn.isCancelled) this.cancel();
    await this.#orFail(restored, (writer) => this.#answer(restored, writer));
  }

  /** A fault of ours ends the turn, which would else be taken, and called for, again and again. */
  async #orFail(
    restored: RestoredTurn,
    work: (writer: TurnWriter) => Promise<void>,
  ): Promise<void> {
    const writer = this.#writer(restored.journal);
    try {
      if (this.claim.attempt > attemptsAtMost) throw new Error("the turn was taken too often");
      await work(writer);
      this.#throwFault();
    } catch (error) {
      this.#stop.abort();
      await writer.take();
      await this.#failAsKept().catch(() => undefined);
      throw error;
    }
  }

  /** From what is kept: nobody was told the rest. */
  async #failAsKept(): Promise<void> {
    const restored = await restoreAsTold(this.#dependencies, this.claim);
    if (restored === undefined) return;
    const { turn, journal } = restored;
    const told = { code: "server_error", message: "The server failed." };
    const writer = this.#writer(journal);
    this.#isLost = false;
    this.#fault = undefined;
    await this.#end(turn, writer, journal.fail(told), undefined);
  }

  async #answer(
    { turn, journal, lost, wasDialled }: RestoredTurn,
    writer: TurnWriter,
  ): Promise<void> {
    await writer.push(journal.interrupt());
    if (lost !== undefined) await this.#settleLost(turn, lost);
    let isRepeated = wasDialled;
    await this.judge();
    for (let made = 1; !this.#isCancelled && !this.#isLost; made++) {
      const end = await this.#call(turn, journal, writer, { made, isRepeated });
      if (this.#isLost) break;
      if (!this.#goesOn(end, made)) return this.#end(turn, writer, this.#ending(journal, end), end);
      await writer.push(journal.interrupt());
      await this.#commitCall(end);
      isRepeated = false;
      await delay(pauseMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      await this.judge();
    }
    if (!this.#isLost) await this.#end(turn, writer, journal.stop("cancelled"), undefined);
  }

  #writer(journal: ResponseJournal): TurnWriter {
    return new TurnWriter(this.#dependencies, this.claim, journal.next, (error) => {
      if (!(error instanceof TurnLost)) this.#fault = error;
      this.lose();
    });
  }

  /** What could not be kept leaves a gap behind which the turn must not end as if nothing were missing. */
  #throwFault(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }

  async #call(
    { id, accountId, keyId, content: { request } }: StoredTurn,
    journal: ResponseJournal,
    writer: TurnWriter,
    { made, isRepeated }: { readonly made: number; readonly isRepeated: boolean },
  ): Promise<TurnCallEnd> {
    const isFirst = made === 1 && this.claim.attempt === 1;
    const call: TurnCall = {
      turnId: id,
      accountId,
      keyId,
      request,
      callId: isFirst ? request.callId : newId("call"),
      isRepeated,
      signal: this.#stop.signal,
      intend: async (intent) => {
        this.#dialled = intent;
        const note = { ...intent, toldBefore: journal.next, isRepeated };
        await this.#dependencies.queue.noteUnflushed(this.claim, `${intent.callId} begins`, note);
      },
      push: (event: ResponseEvent) => writer.push(journal.take(event)),
    };
    this.#dependencies.counts.stepped("model_call");
    return this.#dependencies.caller.call(call);
  }

  #goesOn({ error, isPassing }: TurnCallEnd, made: number): boolean {
    return error !== undefined && isPassing && made < callsAtMost && !this.#isCancelled;
  }

  /** A call that was stopped says nothing more, unless it had said all. */
  #ending(journal: ResponseJournal, { terminal, error }: TurnCallEnd): Ending {
    if (terminal !== undefined) return journal.end(terminal);
    if (this.#isCancelled) return journal.stop("cancelled");
    const nothing = { code: "server_error", message: "The model call came to nothing." };
    return journal.fail(error ?? nothing);
  }

  /** A call that nobody heard the end of is paid for by what was told. */
  async #settleLost(turn: StoredTurn, { intent, told }: LostCall): Promise<void> {
    const { caller } = this.#dependencies;
    await this.#commit(async (em) => {
      await this.#dependencies.queue.noteEnd(em, this.claim, intent.callId);
      await caller.settleLost(em, turn, intent, told);
    });
  }

  /** What a call used that failed, and is made again. */
  async #commitCall(end: TurnCallEnd): Promise<void> {
    await this.#commit(async (em) => {
      await this.#dependencies.queue.noteEnd(em, this.claim, end.callId);
      await end.commit(em, undefined);
    });
  }

  async #end(
    turn: StoredTurn,
    writer: TurnWriter,
    { frames, response }: Ending,
    end: TurnCallEnd | undefined,
  ): Promise<void> {
    await writer.push(frames);
    const { store, queue } = this.#dependencies;
    const last = await writer.take();
    this.#throwFault();
    await this.#commit(async (em) => {
      await queue.hold(em, this.claim.runId);
      // One that was deleted meanwhile leaves nothing but what it used.
      const isThere = await store.end(em, turn.id, response, last);
      await end?.commit(em, isThere ? response : undefined);
      await queue.complete(em, this.claim.runId);
    });
    if (this.#isLost) return;
    this.#dependencies.news.tell(turn.id, { batches: [last], hasEnded: true });
    this.#dependencies.counts.ended(String(response["status"]));
  }

  /** A turn that has ended, or is no more, leaves the queue. */
  async #complete(): Promise<void> {
    const { queue } = this.#dependencies;
    await this.#commit((em) => queue.complete(em, this.claim.runId));
  }

  /** One transaction, which begins with the queue's word that the turn is this process's. */
  async #commit(work: (em: EntityManager) => Promise<void>): Promise<void> {
    const { fork } = this.#dependencies;
    try {
      await whileAway(() => fork().transactional(work), this);
    } catch (error) {
      this.lose();
      if (!(error instanceof TurnLost)) throw error;
    }
  }
}
