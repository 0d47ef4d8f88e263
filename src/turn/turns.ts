import type {
  DurableTurns,
  SeenTurn,
  StartedTurn,
  TakenAnswer,
  TurnToStart,
} from "../kernel/durable-turn.ts";
import type { ChangeFeed } from "../platform/database/change-feed.ts";
import { databaseUnavailable } from "../platform/database/database-unavailable.ts";
import { ApiError } from "../platform/errors.ts";
import { TopicListeners } from "../platform/topic-listeners.ts";
import { ResponseJournal } from "./journal/response-journal.ts";
import { TurnChanges } from "./turn-changes.ts";
import type { TurnNews } from "./turn-news.ts";
import type { ClaimedTurn, FreeWorker, TurnBounds, TurnQueue } from "./turn-queue.ts";
import { newTurn, viewTurn } from "./seen-turn.ts";
import type { StoredTurn, ToldFrames, TurnStore } from "./turn-store.ts";

export interface TurnsDependencies {
  readonly store: TurnStore;
  readonly queue: TurnQueue;
  readonly feed: Pick<ChangeFeed, "on" | "onReset">;
  readonly news: TurnNews;
  /** Who runs turns in this process; undefined: nobody does, or not yet. */
  readonly worker: () => TurnWorker | undefined;
}

/** Runs turns that it is given. */
export interface TurnWorker extends FreeWorker {
  begin(claim: ClaimedTurn, turn: StoredTurn | undefined): void;
  runs(turnId: string): boolean;
}

/** Turns that wait or run at a time. */
const bounds: TurnBounds = { perKey: 100, perAccount: 1000 };

/** Some turn has ended by then as a rule. */
const comeAgainSeconds = 1;

/** How long the end of a cancelled turn is waited for. */
const endingMs = 5000;

/** A stream in which nothing happens says so this often. */
const silentMs = 15_000;

/** How often a follower looks for itself, should a notice have been missed. */
const lookMs = 2000;

const keepAlive = ": keep-alive\n\n";

/** Turns of an installation, whichever process runs them. */
export class Turns implements DurableTurns {
  readonly #dependencies: TurnsDependencies;
  readonly #listeners = new TopicListeners();
  readonly #closing = new AbortController();

  constructor(dependencies: TurnsDependencies) {
    this.#dependencies = dependencies;
    const { feed } = dependencies;
    feed.on("turns", ({ id }) => this.#listeners.tell(id));
    feed.onReset(() => this.#listeners.tellAll());
  }

  get isOn(): boolean {
    return this.#dependencies.store.isOn;
  }

  async start(turn: TurnToStart): Promise<StartedTurn | undefined> {
    const { store, queue } = this.#dependencies;
    const frames = new ResponseJournal(turn.response).open();
    const stored = newTurn(turn, frames.length);
    const worker = this.#freeWorker();
    const { thread, answers } = turn;
    const row = { ...store.rowOf(stored, frames), thread, answers };
    const { start, claim } = await queue.start(row, bounds, worker).catch(refuse);
    const isBegun = claim?.turnId === turn.id;
    if (claim !== undefined) worker?.begin(claim, isBegun ? stored : undefined);
    if (start === "key full") throw tooMany("key", bounds.perKey);
    if (start === "account full") throw tooMany("account", bounds.perAccount);
    if (start !== "started") return undefined;
    return { queuePosition: isBegun ? undefined : await this.#position(turn.id) };
  }

  async answered(
    accountId: string,
    asked: readonly string[],
  ): Promise<ReadonlyMap<string, TakenAnswer>> {
    return this.#dependencies.store.answered(accountId, asked);
  }

  async find(accountId: string, id: string): Promise<SeenTurn | undefined> {
    const turn = await this.#dependencies.store.find(accountId, id);
    if (turn === undefined) return undefined;
    const mayWait = turn.status === "queued" && turn.ended === undefined && !turn.isCancelled;
    return { ...viewTurn(turn), queuePosition: mayWait ? await this.#position(id) : undefined };
  }

  async cancel(accountId: string, id: string): Promise<SeenTurn | undefined> {
    await this.#dependencies.store.requestEnd(accountId, id);
    const turn = await this.#whenEnded(accountId, id, AbortSignal.timeout(endingMs));
    return turn && viewTurn(turn);
  }

  async whenEnded(accountId: string, id: string, gone: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([gone, this.#closing.signal]);
    await this.#whenEnded(accountId, id, signal);
    if (this.#closing.signal.aborted) throw shuttingDown();
  }

  async delete(accountId: string, id: string): Promise<boolean> {
    const { store } = this.#dependencies;
    if (await store.requestEnd(accountId, id)) {
      await this.#whenEnded(accountId, id, AbortSignal.timeout(endingMs));
    }
    return store.delete(accountId, id);
  }

  /** Nobody is to follow any more here: whoever does gets a 503, or a cut. */
  endStreams(): void {
    this.#closing.abort();
  }

  async *follow(id: string, after: number, gone: AbortSignal): AsyncIterable<string> {
    const signal = AbortSignal.any([gone, this.#closing.signal]);
    const changes = this.#changesOf(id, signal);
    let last = after;
    let silentSince = performance.now();
    try {
      while (!signal.aborted) {
        changes.reset();
        const { batches, hasEnded } = changes.takeBehind(last) ?? (await this.#look(id, last));
        for (const { first, frames } of batches) {
          const news = frames.slice(Math.max(0, last + 1 - first));
          last = first + frames.length - 1;
          silentSince = performance.now();
          yield news.join("");
        }
        if (hasEnded) return;
        await changes.next(lookMs);
        if (performance.now() - silentSince < silentMs) continue;
        silentSince = performance.now();
        yield keepAlive;
      }
      if (!gone.aborted) throw shuttingDown();
    } finally {
      changes.close();
    }
  }

  #freeWorker(): TurnWorker | undefined {
    const worker = this.#dependencies.worker();
    return worker !== undefined && worker.freePlaces > 0 ? worker : undefined;
  }

  /** Undefined where nobody can say: no answer is refused for that. */
  async #position(id: string): Promise<number | undefined> {
    try {
      return await this.#dependencies.queue.position(id);
    } catch (error) {
      if (databaseUnavailable(error) === undefined) throw error;
      return undefined;
    }
  }

  #changesOf(id: string, signal: AbortSignal): TurnChanges {
    const { news, worker } = this.#dependencies;
    const isHere = worker()?.runs(id) === true;
    return new TurnChanges({ feed: this.#listeners, news }, id, isHere, signal);
  }

  /** What is new of a turn; nothing while the database is away, which those who follow wait for. */
  async #look(id: string, after: number): Promise<ToldFrames> {
    const { store } = this.#dependencies;
    try {
      return (await store.toldAfter(id, after)) ?? { batches: [], hasEnded: true };
    } catch (error) {
      if (databaseUnavailable(error) === undefined) throw error;
      return { batches: [], hasEnded: false };
    }
  }

  /** The turn, ended if it did before the limit. */
  async #whenEnded(
    accountId: string,
    id: string,
    limit: AbortSignal,
  ): Promise<StoredTurn | undefined> {
    const changes = this.#changesOf(id, limit);
    try {
      for (;;) {
        changes.reset();
        const turn = await this.#dependencies.store.find(accountId, id);
        if (turn === undefined || turn.ended !== undefined || limit.aborted) return turn;
        await changes.next(lookMs);
      }
    } finally {
      changes.close();
    }
  }
}

function shuttingDown(): ApiError {
  return new ApiError("unavailable", "The server is shutting down; ask again for this answer.", {
    retryAfterSeconds: 1,
  });
}

function tooMany(owner: "key" | "account", most: number): ApiError {
  return new ApiError(
    "rate_limited",
    `This ${owner} has ${most} queued or running turns (agent turns and background responses), the maximum. Wait until one ends, or cancel one with POST /v1/responses/{id}/cancel.`,
    { retryAfterSeconds: comeAgainSeconds },
  );
}

function refuse(error: unknown): never {
  throw databaseUnavailable(error) ?? error;
}
