import type { FollowedTurn } from "../domain/durable-turn.ts";
import { toDatabaseUnavailableError } from "../platform/database/database-unavailable.ts";
import { ApiError } from "../platform/errors.ts";
import { EventLoopTurnstile } from "../platform/event-loop-turnstile.ts";
import { reserveIfPossible, type MemoryReservationScope } from "../platform/hold-memory.ts";
import { KeyedConcurrencyLimiter } from "../platform/keyed-limiter.ts";
import { TopicEmitter } from "../platform/topic-emitter.ts";
import { SharedFrameBatches } from "./shared-frame-batches.ts";
import { TurnChangeStream } from "./turn-changes.ts";
import { SharedTurnEventReader, type TurnFramePageResult } from "./turn-reader.ts";
import {
  getFrameBatchLastSequence,
  type TurnFrameBatch,
  type TurnFramePage,
  type TurnStore,
} from "./turn-store.ts";

/** Interval of keep-alive lines in a stream in which nothing happens. */
const silentMs = 15_000;

/** How often a followed turn is looked at, should a notice have been missed. */
const pollMs = 2000;

/** Callers of one account that follow turns which they did not begin, at this process: twice as many as turns of it run there. */
const maxFollowers = 256;

/** Most of these callers that follow the same turn. */
const maxFollowersOfTurn = 32;

/** Pages of an account's followers that are read at a time: each takes a connection and may have a whole response. */
const maxPageReads = 2;

/** Most streams that are taken up again end within this time. */
const comeAgainSeconds = 1;

const keepAlive = ": keep-alive\n\n";

const nothingNew: TurnFramePageResult = { batches: [], hasEnded: false, hasMore: false };

type BatchReader = (
  batches: readonly TurnFrameBatch[],
  after: number,
) => AsyncIterable<Buffer | string>;

export interface TurnFollowersDependencies {
  readonly store: Pick<TurnStore, "framesAfter">;
  readonly changesOf: (id: string, signal: AbortSignal) => TurnChangeStream;
  /** Opens memory that an account is counted for. */
  readonly openMemory: (accountId: string) => MemoryReservationScope;
}

interface OpenReader {
  readonly reader: SharedTurnEventReader;
  readonly stop: AbortController;
  /** The bytes that its followers are sent. */
  readonly shared: SharedFrameBatches;
  followers: number;
}

/** The followers of turns in this process. */
export class TurnFollowers {
  readonly #dependencies: TurnFollowersDependencies;
  readonly #readers = new Map<string, OpenReader>();
  /** Reserved places, by account and by turn. */
  readonly #places = new Map<string, number>();
  readonly #turnstile = new EventLoopTurnstile();
  readonly #pages = new KeyedConcurrencyLimiter(maxPageReads);

  constructor(dependencies: TurnFollowersDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Returns the frames of a turn behind `after`, until its last, or until `signal` is aborted. A
   * large batch is sent as bytes that all followers share.
   */
  async *follow(turn: FollowedTurn, signal: AbortSignal): AsyncIterable<Buffer | string> {
    const { accountId, id, after, isStarter, wantsWholeEvents } = turn;
    const open = this.#open(id, after, isStarter ? id : accountId);
    const { reader, shared } = open;
    const sources = { feed: new TopicEmitter(), notifier: reader.news };
    const changes = new TurnChangeStream(sources, reader.topic, true, signal);
    const options = { openMemory: () => this.#openMemory(turn), wantsWholeEvents };
    try {
      yield* framesOf(reader, changes, { after, signal }, (batches, last) =>
        shared.read(batches, last, options),
      );
    } finally {
      changes.close();
      this.#close(id, open);
    }
  }

  /** Follows a turn for a caller who takes a stream up again. Throws like `reserve`. */
  replay(
    accountId: string,
    id: string,
    after: number,
    signal: AbortSignal,
  ): AsyncIterable<Buffer | string> {
    const release = this.reserve(accountId, id, signal);
    const turn = { accountId, id, after, isStarter: false, wantsWholeEvents: false };
    return released(this.follow(turn, signal), release);
  }

  /**
   * Takes a place for a caller that follows a turn which it did not begin, until the returned
   * function is called or `signal` is aborted. Throws 429 when its account, or the turn, has no
   * place left.
   */
  reserve(accountId: string, id: string, signal: AbortSignal): () => void {
    if (this.#placesOf(accountId) >= maxFollowers)
      throw tooManyFollowersError("account", maxFollowers);
    if (this.#placesOf(id) >= maxFollowersOfTurn)
      throw tooManyFollowersError("turn", maxFollowersOfTurn);
    this.#count(accountId, 1);
    this.#count(id, 1);
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      this.#count(accountId, -1);
      this.#count(id, -1);
    };
    signal.addEventListener("abort", release, { once: true });
    // A caller who is gone already never follows.
    if (signal.aborted) release();
    return release;
  }

  #placesOf(owner: string): number {
    return this.#places.get(owner) ?? 0;
  }

  #count(owner: string, change: number): void {
    const count = this.#placesOf(owner) + change;
    if (count === 0) this.#places.delete(owner);
    else this.#places.set(owner, count);
  }

  #openMemory({ accountId, isStarter }: FollowedTurn): MemoryReservationScope {
    const memory = this.#dependencies.openMemory(accountId);
    return isStarter ? { ...memory, hold: reserveIfPossible(memory.hold) } : memory;
  }

  /** `owner`: its readers read a few pages at a time. */
  #open(id: string, after: number, owner: string): OpenReader {
    const known = this.#readers.get(id);
    if (known !== undefined) {
      known.followers += 1;
      known.reader.includeEventsAfter(after);
      return known;
    }
    const stop = new AbortController();
    const changes = this.#dependencies.changesOf(id, stop.signal);
    const load = (from: number): Promise<TurnFramePageResult> =>
      this.#pages.run(owner, () => this.#load(id, from));
    const reader = new SharedTurnEventReader(id, after, { load, changes, pollMs });
    const shared = new SharedFrameBatches(this.#turnstile);
    const open = { reader, stop, shared, followers: 1 };
    this.#readers.set(id, open);
    return open;
  }

  #close(id: string, open: OpenReader): void {
    open.followers -= 1;
    if (open.followers > 0) return;
    this.#readers.delete(id);
    open.reader.close();
    open.stop.abort();
  }

  /** Reads the new events of a turn. The page is empty while the database is down: followers wait for it. */
  async #load(id: string, after: number): Promise<TurnFramePageResult> {
    try {
      const page = await this.#dependencies.store.framesAfter(id, after);
      // Its streams must not look as if they were whole.
      if (page === undefined) throw deletedError(id);
      return page;
    } catch (error) {
      if (toDatabaseUnavailableError(error) === undefined) throw error;
      return { ...nothingNew, isAway: true };
    }
  }
}

async function* framesOf(
  reader: SharedTurnEventReader,
  changes: TurnChangeStream,
  { after, signal }: { after: number; signal: AbortSignal },
  read: BatchReader,
): AsyncIterable<Buffer | string> {
  let last = after;
  let silentSince = performance.now();
  let mustRead = true;
  while (!signal.aborted) {
    mustRead = changes.reset() || mustRead;
    let page: TurnFramePageResult =
      changes.takeAfter(last) ?? (mustRead ? await reader.read(last) : nothingNew);
    const { hasEnded, hasMore, isAway = false } = page;
    const pieces = read(page.batches, last);
    last = Math.max(last, lastIn(page));
    // The frames are not retained while a caller reads slowly.
    page = nothingNew;
    for await (const piece of pieces) {
      silentSince = performance.now();
      yield piece;
    }
    if (hasEnded) return;
    mustRead = hasMore || isAway;
    if (hasMore) continue;
    const silentRest = Math.max(1, silentSince + silentMs - performance.now());
    await changes.next(mustRead ? Math.min(pollMs, silentRest) : silentRest);
    if (performance.now() - silentSince < silentMs) continue;
    silentSince = performance.now();
    yield keepAlive;
  }
}

function lastIn({ batches }: TurnFramePage): number {
  const last = batches.at(-1);
  return last === undefined ? -1 : getFrameBatchLastSequence(last);
}

async function* released<Piece>(
  frames: AsyncIterable<Piece>,
  release: () => void,
): AsyncIterable<Piece> {
  try {
    yield* frames;
  } finally {
    release();
  }
}

function deletedError(id: string): ApiError {
  return new ApiError("not_found", `The response \`${id}\` was deleted while it was streamed.`);
}

function tooManyFollowersError(owner: "account" | "turn", most: number): ApiError {
  return new ApiError(
    "rate_limited",
    `${most} streams follow this ${owner} at this server, the maximum. Close one, or poll with GET /v1/responses/{id}.`,
    { retryAfterSeconds: comeAgainSeconds },
  );
}
