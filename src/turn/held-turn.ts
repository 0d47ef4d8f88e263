import type { EntityManager } from "@mikro-orm/postgresql";
import type { JsonObject } from "../dialect/json.ts";
import type {
  CallIntent,
  ResponseEvent,
  TurnCall,
  TurnCallEnd,
  TurnCallUse,
  TurnCaller,
  TurnRequest,
} from "../kernel/durable-turn.ts";
import type { TurnMetrics } from "../platform/telemetry/turn-metrics.ts";
import type { JournalEnding, ResponseJournal } from "./journal/response-journal.ts";
import type { LostCall } from "./restore-turn.ts";
import { TurnLost } from "./turn-lost.ts";
import type { TurnNews } from "./turn-news.ts";
import type { ClaimedTurn, TurnQueue } from "./turn-queue.ts";
import type { FrameBatch, StoredTurn, TurnStore } from "./turn-store.ts";
import { TurnWriter, whileAway } from "./turn-writer.ts";

/** What turns are held with. */
export interface HeldTurnDependencies {
  readonly queue: TurnQueue;
  readonly store: TurnStore;
  readonly caller: TurnCaller;
  /** Hears what has been kept. */
  readonly news: TurnNews;
  readonly fork: () => EntityManager;
  readonly counts: TurnMetrics;
}

/** A model call, and how it stands among those of its turn. */
export interface TurnDial {
  readonly request: TurnRequest;
  readonly callId: string;
  /** Made again because a process died. */
  readonly isRepeated: boolean;
  readonly signal: AbortSignal;
  /** Of an agent's turn: which step it is. */
  readonly step?: number;
  /** What callers are told of an event of its answer; by default all. */
  readonly translate?: (event: ResponseEvent) => readonly ResponseEvent[];
}

/** Whether a turn may go on here: somebody asked for its end, or another process has it. */
export class TurnHold {
  readonly #stop = new AbortController();
  isCancelled = false;
  isLost = false;
  /** Why events could not be kept, where that is a fault of ours; undefined: all were. */
  fault: unknown;

  /** Aborted: what is under way is to end at once. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether nothing more is written. */
  get isStopped(): boolean {
    return this.isLost;
  }

  stop(): void {
    this.#stop.abort();
  }

  cancel(): void {
    this.isCancelled = true;
    this.stop();
  }

  lose(): void {
    this.isLost = true;
    this.stop();
  }

  /** What could not be kept leaves a gap behind which the turn must not end as if nothing were missing. */
  throwFault(): void {
    if (this.fault !== undefined) throw this.fault;
  }
}

/**
 * A turn that this process holds: its events are kept before anybody is sent them, and
 * what a step used, what came of it and its last events are one transaction, which begins
 * with the queue's word that the turn is this process's.
 */
export class HeldTurn {
  readonly claim: ClaimedTurn;
  readonly turn: StoredTurn;
  readonly journal: ResponseJournal;
  readonly hold: TurnHold;
  readonly #dependencies: HeldTurnDependencies;
  readonly #writer: TurnWriter;
  /** The last model call; undefined: none was made. */
  #dialled: Pick<CallIntent, "model" | "route"> | undefined;

  constructor(
    dependencies: HeldTurnDependencies,
    claim: ClaimedTurn,
    hold: TurnHold,
    held: Pick<HeldTurn, "turn" | "journal">,
  ) {
    this.#dependencies = dependencies;
    this.claim = claim;
    this.hold = hold;
    this.turn = held.turn;
    this.journal = held.journal;
    this.#writer = new TurnWriter(dependencies, claim, held.journal.next, (error) => {
      if (!(error instanceof TurnLost)) hold.fault = error;
      hold.lose();
    });
  }

  /** Neither cancelled nor lost, nor stopped by a fault. */
  get goesOn(): boolean {
    return !this.hold.signal.aborted;
  }

  /** Looks whether the turn may still go on: its key, and what it dials. */
  async judge(): Promise<void> {
    const { caller } = this.#dependencies;
    if (!(await caller.mayGoOn(this.turn, this.#dialled))) this.hold.cancel();
  }

  /** Frames to be kept and sent; a promise where no more should be made until it resolves. */
  tell(frames: readonly string[]): Promise<void> | undefined {
    return this.#writer.push(frames);
  }

  /** Writes nothing more of what was told; resolves when nothing is being written. */
  async release(): Promise<void> {
    await this.#writer.take();
  }

  /** Makes a model call, whose answer is told as it comes. */
  async dial(dial: TurnDial): Promise<TurnCallEnd> {
    const { id, accountId, keyId, content } = this.turn;
    const { request, callId, isRepeated, signal, translate = asItself } = dial;
    const call: TurnCall = {
      turnId: id,
      accountId,
      keyId,
      request,
      callId,
      isAgents: content.agent !== undefined,
      isRepeated,
      signal,
      intend: (intent) => this.#intend(dial, intent),
      push: (event) => this.tell(translate(event).flatMap((one) => this.journal.take(one))),
    };
    this.#dependencies.counts.stepped("model_call");
    return this.#dependencies.caller.call(call);
  }

  /** Notes what a step is about to do, for whoever takes the turn over; waits while the database is away. */
  async note(step: string, note: object): Promise<void> {
    const { queue } = this.#dependencies;
    try {
      await whileAway(() => queue.note(this.claim, step, note), this.hold);
    } catch (error) {
      this.hold.lose();
      if (!(error instanceof TurnLost)) throw error;
    }
  }

  /** A step has ended, with what is noted of that, its last events and what `work` writes. */
  async endStep(
    step: string,
    note: object,
    work: (em: EntityManager) => Promise<void>,
  ): Promise<void> {
    const { queue } = this.#dependencies;
    await this.#writer.keepWith((batch) =>
      this.commit(async (em) => {
        await queue.noteEnd(em, this.claim, step, note);
        await this.#append(em, batch);
        await work(em);
      }),
    );
  }

  /** A call that nobody heard the end of is paid for by what was told. */
  async settleLost(
    { intent, told }: LostCall,
    noteOf: (used: TurnCallUse) => object = () => ({}),
  ): Promise<void> {
    const { caller, queue } = this.#dependencies;
    this.#dialled = intent;
    await this.commit(async (em) => {
      const used = await caller.settleLost(em, this.turn, intent, told);
      await queue.noteEnd(em, this.claim, intent.callId, noteOf(used));
    });
  }

  /** The turn has ended; `items`: what an agent's adds to its thread. */
  async end(
    { frames, response }: JournalEnding,
    end: TurnCallEnd | undefined,
    items?: readonly JsonObject[],
  ): Promise<void> {
    await this.tell(frames);
    const { store, queue, news, counts } = this.#dependencies;
    const { agent } = this.turn.content;
    const last = await this.#writer.take();
    this.hold.throwFault();
    await this.commit(async (em) => {
      await queue.hold(em, this.claim.runId);
      // One that was deleted meanwhile leaves nothing but what it used.
      const isThere = await store.end(em, this.turn.id, response, last, items);
      await end?.commit(em, isThere ? response : undefined);
      // Those of an agent hold what was said: nobody needs them any more.
      if (agent !== undefined) await queue.forgetNotes(em, this.claim);
      await queue.complete(em, this.claim.runId);
    });
    if (this.hold.isLost) return;
    news.tell(this.turn.id, { batches: [last], hasEnded: true });
    counts.ended(String(response["status"]), agent?.engine);
  }

  async commit(work: (em: EntityManager) => Promise<void>): Promise<void> {
    const { fork, caller } = this.#dependencies;
    await commitOrLose(fork, this.hold, work, () => caller.prepare());
  }

  async #intend(
    { isRepeated, step }: TurnDial,
    intent: Parameters<TurnCall["intend"]>[0],
  ): Promise<void> {
    this.#dialled = intent;
    const note = { ...intent, toldBefore: this.journal.next, isRepeated, ...(step && { step }) };
    await this.#dependencies.queue.noteUnflushed(this.claim, `${intent.callId} begins`, note);
  }

  async #append(em: EntityManager, { first, frames }: FrameBatch): Promise<void> {
    if (frames.length === 0) return;
    const { queue, store } = this.#dependencies;
    const sealed = store.sealFrames(this.turn.id, first, frames);
    await queue.appendWithin(em, this.claim, first, first + frames.length - 1, sealed);
  }
}

/** One transaction of a turn; where the turn has become another's, it is lost here. */
export async function commitOrLose(
  fork: () => EntityManager,
  hold: TurnHold,
  work: (em: EntityManager) => Promise<void>,
  prepare?: () => Promise<void>,
): Promise<void> {
  const once = async (): Promise<void> => {
    await prepare?.();
    await fork().transactional(work);
  };
  try {
    await whileAway(once, hold);
  } catch (error) {
    hold.lose();
    if (!(error instanceof TurnLost)) throw error;
  }
}

function asItself(event: ResponseEvent): readonly ResponseEvent[] {
  return [event];
}
