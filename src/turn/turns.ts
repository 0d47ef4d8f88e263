import { setTimeout as delay } from "node:timers/promises";
import type { DurableTurns, SeenTurn, TurnToStart } from "../kernel/durable-turn.ts";
import type { ChangeFeed } from "../platform/database/change-feed.ts";
import { databaseUnavailable } from "../platform/database/database-unavailable.ts";
import { ApiError } from "../platform/errors.ts";
import { TopicListeners } from "../platform/topic-listeners.ts";
import { ResponseJournal } from "./journal/response-journal.ts";
import type { TurnQueue } from "./turn-queue.ts";
import { seen, type FrameBatch, type StoredTurn, type TurnStore } from "./turn-store.ts";

export interface TurnsDependencies {
  readonly store: TurnStore;
  readonly queue: TurnQueue;
  readonly feed: Pick<ChangeFeed, "on" | "onReset">;
}

/** Turns of one key that wait or run. */
const turnsAtMost = 100;

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

  async start(turn: TurnToStart): Promise<void> {
    const { store, queue } = this.#dependencies;
    const row = store.rowOf(turn, new ResponseJournal(turn.response).open());
    if (!(await queue.start(row, turnsAtMost).catch(refuse))) throw tooMany();
  }

  async find(accountId: string, id: string): Promise<SeenTurn | undefined> {
    const turn = await this.#dependencies.store.find(accountId, id);
    return turn && seen(turn);
  }

  async cancel(accountId: string, id: string): Promise<SeenTurn | undefined> {
    await this.#dependencies.store.requestEnd(accountId, id);
    const turn = await this.#whenEnded(accountId, id);
    return turn && seen(turn);
  }

  async delete(accountId: string, id: string): Promise<boolean> {
    const { store } = this.#dependencies;
    if (await store.requestEnd(accountId, id)) await this.#whenEnded(accountId, id);
    return store.delete(accountId, id);
  }

  /** Nobody is to follow any more here: whoever does gets a 503, or a cut. */
  endStreams(): void {
    this.#closing.abort();
  }

  async *follow(id: string, after: number, gone: AbortSignal): AsyncIterable<string> {
    const signal = AbortSignal.any([gone, this.#closing.signal]);
    const changes = new Changes(this.#listeners, id, signal);
    let last = after;
    let silentSince = performance.now();
    try {
      while (!signal.aborted) {
        changes.reset();
        const { batches, isOver } = await this.#news(id, last);
        for (const { first, frames } of batches) {
          const news = frames.slice(Math.max(0, last + 1 - first));
          last = first + frames.length - 1;
          silentSince = performance.now();
          yield news.join("");
        }
        if (isOver) return;
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

  /** What is new of a turn; nothing while the database is away, which those who follow wait for. */
  async #news(id: string, after: number): Promise<News> {
    const { store } = this.#dependencies;
    try {
      const told = await store.toldAfter(id, after);
      return { batches: told?.batches ?? [], isOver: told?.hasEnded !== false };
    } catch (error) {
      if (databaseUnavailable(error) === undefined) throw error;
      return { batches: [], isOver: false };
    }
  }

  /** The turn, ended if it did in time. */
  async #whenEnded(accountId: string, id: string): Promise<StoredTurn | undefined> {
    const limit = AbortSignal.timeout(endingMs);
    const changes = new Changes(this.#listeners, id, limit);
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

/** What was told of a turn since a follower looked last. */
interface News {
  readonly batches: readonly FrameBatch[];
  /** There will be no more. */
  readonly isOver: boolean;
}

/** Changes of one turn, waited for one after the other. */
class Changes {
  readonly #stop: () => void;
  readonly #signal: AbortSignal;
  #change = Promise.withResolvers<void>();

  constructor(listeners: TopicListeners, id: string, signal: AbortSignal) {
    this.#stop = listeners.add(id, () => this.#change.resolve());
    this.#signal = signal;
  }

  /** From now on changes count. */
  reset(): void {
    this.#change = Promise.withResolvers();
  }

  /** Resolves with the next change, after so long at the latest, and when nobody waits any more. */
  async next(atMostMs: number): Promise<void> {
    const limit = delay(atMostMs, undefined, { signal: this.#signal, ref: false });
    await Promise.race([this.#change.promise, limit.catch(() => undefined)]);
  }

  close(): void {
    this.#stop();
  }
}

/** A stream that only ended would say that the turn has. */
function shuttingDown(): ApiError {
  return new ApiError("unavailable", "The server is shutting down; ask again for this answer.", {
    retryAfterSeconds: 1,
  });
}

function tooMany(): ApiError {
  return new ApiError(
    "rate_limited",
    `This key has ${turnsAtMost} answers in the background that wait or run, which is the most; wait until one has ended, or cancel one.`,
    { retryAfterSeconds: 1 },
  );
}

function refuse(error: unknown): never {
  throw databaseUnavailable(error) ?? error;
}
