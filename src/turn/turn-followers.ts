import { toDatabaseUnavailableError } from "../platform/database/database-unavailable.ts";
import { ApiError } from "../platform/errors.ts";
import { EventLoopTurnstile } from "../platform/event-loop-turnstile.ts";
import type { MemoryReservationScope } from "../platform/hold-memory.ts";
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

/** Streams of one account that replay turns at this process: twice as many as turns of it run there. */
const maxReplays = 256;

/** Most of these streams that replay the same turn. */
const maxReplaysOfTurn = 32;

/** Pages of an account's replays that are read at a time: each takes a connection and may have a whole response. */
const maxPageReads = 2;

/** Most streams that are taken up again end within this time. */
const comeAgainSeconds = 1;

const keepAlive = ": keep-alive\n\n";

const nothingNew: TurnFramePageResult = { batches: [], hasEnded: false, hasMore: false };

type TextWriter<Piece> = (
  batches: readonly TurnFrameBatch[],
  after: number,
) => Iterable<Piece> | AsyncIterable<Piece>;

export interface TurnFollowersDependencies {
  readonly store: Pick<TurnStore, "framesAfter">;
  readonly changesOf: (id: string, signal: AbortSignal) => TurnChangeStream;
  /** Opens memory that an account is counted for. */
  readonly openMemory: (accountId: string) => MemoryReservationScope;
}

interface OpenReader {
  readonly reader: SharedTurnEventReader;
  readonly stop: AbortController;
  /** The bytes that its replays send. */
  readonly shared: SharedFrameBatches;
  followers: number;
}

/** The followers of turns in this process. */
export class TurnFollowers {
  readonly #dependencies: TurnFollowersDependencies;
  readonly #readers = new Map<string, OpenReader>();
  /** Streams that replay turns, by account and by turn. */
  readonly #replays = new Map<string, number>();
  readonly #turnstile = new EventLoopTurnstile();
  readonly #pages = new KeyedConcurrencyLimiter(maxPageReads);

  constructor(dependencies: TurnFollowersDependencies) {
    this.#dependencies = dependencies;
  }

  /** The frames of a turn behind `after`, until its last, or until `signal` is aborted. */
  follow(id: string, after: number, signal: AbortSignal): AsyncIterable<string> {
    return this.#follow(
      () => this.#open(id, after, id),
      { id, after, signal },
      () => newTexts,
    );
  }

  async *#follow<Piece>(
    openReader: () => OpenReader,
    { id, after, signal }: { id: string; after: number; signal: AbortSignal },
    writerOf: (open: OpenReader) => TextWriter<Piece>,
  ): AsyncIterable<Piece | string> {
    const open = openReader();
    const { reader } = open;
    const sources = { feed: new TopicEmitter(), notifier: reader.news };
    const changes = new TurnChangeStream(sources, reader.topic, true, signal);
    try {
      yield* framesOf(reader, changes, { after, signal }, writerOf(open));
    } finally {
      changes.close();
      this.#close(id, open);
    }
  }

  /**
   * Follows a turn for a caller who takes a stream up again. Throws 429 when its account, or the
   * turn, has too many of these. A large batch is sent as bytes that all who are sent it share.
   */
  replay(
    accountId: string,
    id: string,
    after: number,
    signal: AbortSignal,
  ): AsyncIterable<Buffer | string> {
    const release = this.#reserve(accountId, id);
    signal.addEventListener("abort", release, { once: true });
    // The stream of a caller who is gone already is never read.
    if (signal.aborted) release();
    const openMemory = () => this.#dependencies.openMemory(accountId);
    const frames = this.#follow(
      () => this.#open(id, after, accountId),
      { id, after, signal },
      ({ shared }): TextWriter<Buffer | string> =>
        (batches, last) =>
          shared.read(batches, last, openMemory),
    );
    return released(frames, release);
  }

  #reserve(accountId: string, id: string): () => void {
    if (this.#replaysOf(accountId) >= maxReplays) throw tooManyReplaysError("account", maxReplays);
    if (this.#replaysOf(id) >= maxReplaysOfTurn)
      throw tooManyReplaysError("turn", maxReplaysOfTurn);
    this.#count(accountId, 1);
    this.#count(id, 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#count(accountId, -1);
      this.#count(id, -1);
    };
  }

  #replaysOf(owner: string): number {
    return this.#replays.get(owner) ?? 0;
  }

  #count(owner: string, change: number): void {
    const count = this.#replaysOf(owner) + change;
    if (count === 0) this.#replays.delete(owner);
    else this.#replays.set(owner, count);
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

async function* framesOf<Piece>(
  reader: SharedTurnEventReader,
  changes: TurnChangeStream,
  { after, signal }: { after: number; signal: AbortSignal },
  write: TextWriter<Piece>,
): AsyncIterable<Piece | string> {
  let last = after;
  let silentSince = performance.now();
  let mustRead = true;
  while (!signal.aborted) {
    mustRead = changes.reset() || mustRead;
    let page: TurnFramePageResult =
      changes.takeAfter(last) ?? (mustRead ? await reader.read(last) : nothingNew);
    const { hasEnded, hasMore, isAway = false } = page;
    const pieces = write(page.batches, last);
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

function* newTexts(batches: readonly TurnFrameBatch[], after: number): Iterable<string> {
  for (const { first, frames } of batches) {
    yield frames.slice(Math.max(0, after + 1 - first)).join("");
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

function tooManyReplaysError(owner: "account" | "turn", most: number): ApiError {
  return new ApiError(
    "rate_limited",
    `${most} streams follow this ${owner} at this server, the maximum. Close one, or poll with GET /v1/responses/{id}.`,
    { retryAfterSeconds: comeAgainSeconds },
  );
}
