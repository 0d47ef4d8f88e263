import type {
  DurableTurnService,
  FollowedTurn,
  TurnResponseView,
  StoredTurnQueuePosition,
  TurnView,
  ConsumedCallerToolReply,
  NewTurn,
} from "../domain/durable-turn.ts";
import type { DatabaseChangeFeed } from "../platform/database/change-feed.ts";
import { toDatabaseUnavailableError } from "../platform/database/database-unavailable.ts";
import type { JsonObject } from "../platform/json-value.ts";
import type { MemoryAndAbortContext } from "../platform/database/counted-loader.ts";
import { ApiError } from "../platform/errors.ts";
import {
  openMemoryReservationScope,
  noopMemoryReserver,
  type MemoryReservationScope,
} from "../platform/hold-memory.ts";
import { KeyedConcurrencyLimiter, maxWaitingWorkPerAccount } from "../platform/keyed-limiter.ts";
import { TopicEmitter } from "../platform/topic-emitter.ts";
import { TurnEventJournal } from "./journal/response-journal.ts";
import { TurnChangeStream } from "./turn-changes.ts";
import { TurnFollowers } from "./turn-followers.ts";
import type { InProcessTurnNotifier } from "./turn-notifier.ts";
import type {
  ClaimedTurn,
  TurnWorkerCapacity,
  TurnConcurrencyLimits,
  TurnQueue,
  NewTurnRow,
  TurnStartStatus,
} from "./turn-queue.ts";
import type { TurnState } from "./turn-part-reader.ts";
import { createUnstartedStoredTurn } from "./turn-snapshot.ts";
import type { StoredTurn, TurnStore } from "./turn-store.ts";

export interface DatabaseTurnServiceDependencies {
  readonly store: TurnStore;
  readonly queue: TurnQueue;
  readonly feed: Pick<DatabaseChangeFeed, "on" | "onReset">;
  readonly notifier: InProcessTurnNotifier;
  /** Who runs turns in this process; undefined: nobody does, or not yet. */
  readonly worker: () => TurnWorker | undefined;
  /** Opens memory that an account is counted for; if omitted, nothing is counted. */
  readonly openMemory?: (accountId: string) => MemoryReservationScope;
}

/** Runs turns that it is given. */
export interface TurnWorker {
  /** Room for a turn that is being stored, of so many sealed bytes; undefined when the worker is full. */
  reserve(bytes: number): TurnWorkerReservation | undefined;
  begin(claim: ClaimedTurn, turn: StoredTurn | undefined): void;
  runs(turnId: string): boolean;
}

/** To be released when the turn has begun, or is not to. */
export interface TurnWorkerReservation {
  readonly worker: TurnWorkerCapacity;
  release(): void;
}

/** Turns that wait or run at a time. */
const bounds: TurnConcurrencyLimits = { perKey: 100, perAccount: 1000 };

/** Some turn has ended by then as a rule. */
const comeAgainSeconds = 1;

/** How long the end of a cancelled turn is waited for. */
const endingMs = 5000;

/** How often the end of a turn is looked for, should a notice have been missed. */
const pollMs = 2000;

/** Turns of an installation, whichever process runs them. */
export class DatabaseTurnService implements DurableTurnService {
  readonly #dependencies: DatabaseTurnServiceDependencies;
  readonly #listeners = new TopicEmitter();
  readonly #closing = new AbortController();
  readonly #followers: TurnFollowers;
  /**
   * The starts of an account wait for each other in the database (its bound counts its turns
   * exactly). They wait here instead, where they take no connection from other accounts.
   */
  readonly #starts = new KeyedConcurrencyLimiter(1, maxWaitingWorkPerAccount);

  constructor(dependencies: DatabaseTurnServiceDependencies) {
    this.#dependencies = dependencies;
    const { feed } = dependencies;
    feed.on("turns", ({ id }) => this.#listeners.emit(id));
    feed.onReset(() => this.#listeners.emitAll());
    const { store } = dependencies;
    const changesOf = (id: string, signal: AbortSignal) => this.#changesOf(id, signal);
    const { openMemory = openUncountedMemory } = dependencies;
    this.#followers = new TurnFollowers({ store, changesOf, openMemory });
  }

  get isEnabled(): boolean {
    return this.#dependencies.store.isEnabled;
  }

  async start(turn: NewTurn): Promise<StoredTurnQueuePosition | undefined> {
    const { store } = this.#dependencies;
    const frames = new TurnEventJournal(turn.response).open();
    const stored = createUnstartedStoredTurn(turn, frames.length);
    const { thread, answers } = turn;
    const row = { ...(await store.rowOf(stored, frames)), thread, answers };
    const { start, isBegun } = await this.#store(row, stored);
    if (start === "key full") throw tooManyError("key", bounds.perKey);
    if (start === "account full") throw tooManyError("account", bounds.perAccount);
    if (start !== "started") return undefined;
    return { queuePosition: isBegun ? undefined : await this.#position(turn.id) };
  }

  async answered(
    accountId: string,
    asked: readonly string[],
  ): Promise<ReadonlyMap<string, ConsumedCallerToolReply>> {
    return this.#dependencies.store.answered(accountId, asked);
  }

  async findState(accountId: string, id: string): Promise<StoredTurnQueuePosition | undefined> {
    const state = await this.#dependencies.store.parts.findState(accountId, id);
    return state && { queuePosition: await this.#positionOf(id, state) };
  }

  async findResponse(
    accountId: string,
    id: string,
    context: MemoryAndAbortContext,
  ): Promise<TurnResponseView | undefined> {
    const turn = await this.#dependencies.store.parts.findResponse(accountId, id, context);
    return turn && { response: turn.response, queuePosition: await this.#positionOf(id, turn) };
  }

  findInput(
    accountId: string,
    id: string,
    context: MemoryAndAbortContext,
  ): Promise<readonly JsonObject[] | undefined> {
    return this.#dependencies.store.parts.findInput(accountId, id, context);
  }

  async find(
    accountId: string,
    id: string,
    context: MemoryAndAbortContext,
  ): Promise<TurnView | undefined> {
    const input = await this.findInput(accountId, id, context);
    const turn = input && (await this.findResponse(accountId, id, context));
    return turn && { ...turn, input };
  }

  async cancel(
    accountId: string,
    id: string,
    context: MemoryAndAbortContext,
  ): Promise<TurnResponseView | undefined> {
    await this.#dependencies.store.requestEnd(accountId, id);
    await this.#waitUntilEnded(accountId, id, AbortSignal.timeout(endingMs));
    const turn = await this.#dependencies.store.parts.findResponse(accountId, id, context);
    return turn && { response: turn.response };
  }

  async waitUntilEnded(accountId: string, id: string, gone: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([gone, this.#closing.signal]);
    await this.#waitUntilEnded(accountId, id, signal);
    if (this.#closing.signal.aborted) throw shuttingDown();
  }

  async delete(accountId: string, id: string): Promise<boolean> {
    const { store } = this.#dependencies;
    if (await store.requestEnd(accountId, id)) {
      await this.#waitUntilEnded(accountId, id, AbortSignal.timeout(endingMs));
    }
    return store.delete(accountId, id);
  }

  /** Nobody is to follow any more here: whoever does gets a 503, or a cut. */
  endStreams(): void {
    this.#closing.abort();
  }

  follow(turn: FollowedTurn, gone: AbortSignal): AsyncIterable<Buffer | string> {
    return this.#untilClosed(this.#followers.follow(turn, this.#signalOf(gone)), gone);
  }

  reserveFollower(accountId: string, id: string, gone: AbortSignal): () => void {
    return this.#followers.reserve(accountId, id, gone);
  }

  replay(
    accountId: string,
    id: string,
    after: number,
    gone: AbortSignal,
  ): AsyncIterable<Buffer | string> {
    const signal = this.#signalOf(gone);
    return this.#untilClosed(this.#followers.replay(accountId, id, after, signal), gone);
  }

  #signalOf(gone: AbortSignal): AbortSignal {
    return AbortSignal.any([gone, this.#closing.signal]);
  }

  async *#untilClosed<Piece>(
    frames: AsyncIterable<Piece>,
    gone: AbortSignal,
  ): AsyncIterable<Piece> {
    yield* frames;
    if (this.#closing.signal.aborted && !gone.aborted) throw shuttingDown();
  }

  /** Stores a turn, and begins here what this process has taken, which is usually the turn itself. */
  async #store(
    row: NewTurnRow,
    turn: StoredTurn,
  ): Promise<{ start: TurnStartStatus; isBegun: boolean }> {
    const { queue, worker: findWorker } = this.#dependencies;
    return this.#starts.run(row.accountId, async () => {
      const worker = findWorker();
      const reserved = worker?.reserve(row.content.length);
      try {
        const { start, claim } = await queue.start(row, bounds, reserved?.worker).catch(refuse);
        const isBegun = claim?.turnId === turn.id;
        if (claim !== undefined) worker?.begin(claim, isBegun ? turn : undefined);
        return { start, isBegun };
      } finally {
        reserved?.release();
      }
    });
  }

  async #positionOf(
    id: string,
    { status, hasEnded, isCancelled }: TurnState,
  ): Promise<number | undefined> {
    const mayWait = status === "queued" && !hasEnded && !isCancelled;
    return mayWait ? this.#position(id) : undefined;
  }

  /** Undefined where nobody can say: no answer is refused for that. */
  async #position(id: string): Promise<number | undefined> {
    try {
      return await this.#dependencies.queue.position(id);
    } catch (error) {
      if (toDatabaseUnavailableError(error) === undefined) throw error;
      return undefined;
    }
  }

  #changesOf(id: string, signal: AbortSignal): TurnChangeStream {
    const { notifier: news, worker } = this.#dependencies;
    const isHere = worker()?.runs(id) === true;
    return new TurnChangeStream({ feed: this.#listeners, notifier: news }, id, isHere, signal);
  }

  /** Every event of the turn wakes it: it looks at no more than whether the turn runs. */
  async #waitUntilEnded(accountId: string, id: string, limit: AbortSignal): Promise<void> {
    const changes = this.#changesOf(id, limit);
    try {
      for (;;) {
        changes.reset();
        const isRunning = await this.#dependencies.store.isRunning(accountId, id);
        if (!isRunning || limit.aborted) return;
        await changes.next(pollMs);
      }
    } finally {
      changes.close();
    }
  }
}

function openUncountedMemory(): MemoryReservationScope {
  return openMemoryReservationScope(noopMemoryReserver);
}

function shuttingDown(): ApiError {
  return new ApiError("unavailable", "The server is shutting down; ask again for this answer.", {
    retryAfterSeconds: 1,
  });
}

function tooManyError(owner: "key" | "account", most: number): ApiError {
  return new ApiError(
    "rate_limited",
    `This ${owner} has ${most} queued or running turns (agent turns and background responses), the maximum. Wait until one ends, or cancel one with POST /v1/responses/{id}/cancel.`,
    { retryAfterSeconds: comeAgainSeconds },
  );
}

function refuse(error: unknown): never {
  throw toDatabaseUnavailableError(error) ?? error;
}
