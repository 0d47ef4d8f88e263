import { toDatabaseUnavailableError } from "../platform/database/database-unavailable.ts";
import { ApiError } from "../platform/errors.ts";
import { KeyedConcurrencyLimiter } from "../platform/keyed-limiter.ts";
import { TopicEmitter } from "../platform/topic-emitter.ts";
import { TurnChangeStream } from "./turn-changes.ts";
import { SharedTurnEventReader, type ReadPage } from "./turn-reader.ts";
import { getBatchLastSequence, type FramePage, type TurnStore } from "./turn-store.ts";

/** Interval of keep-alive lines in a stream in which nothing happens. */
const silentMs = 15_000;

/** How often a followed turn is looked at, should a notice have been missed. */
const pollMs = 2000;

/** Streams of one account that replay turns at this process: as many as it may have turns. */
const maxReplays = 1000;

/** Pages of an account's replays that are read at a time: each takes a connection and may have a whole response. */
const maxPageReads = 2;

/** Most streams that are taken up again end within this time. */
const comeAgainSeconds = 1;

const keepAlive = ": keep-alive\n\n";

export interface TurnFollowersDependencies {
  readonly store: Pick<TurnStore, "framesAfter">;
  readonly changesOf: (id: string, signal: AbortSignal) => TurnChangeStream;
}

interface OpenReader {
  readonly reader: SharedTurnEventReader;
  readonly stop: AbortController;
  followers: number;
}

/** The followers of turns in this process. */
export class TurnFollowers {
  readonly #dependencies: TurnFollowersDependencies;
  readonly #readers = new Map<string, OpenReader>();
  readonly #replays = new Map<string, number>();
  readonly #pages = new KeyedConcurrencyLimiter(maxPageReads);

  constructor(dependencies: TurnFollowersDependencies) {
    this.#dependencies = dependencies;
  }

  /** The frames of a turn behind `after`, until its last, or until `signal` is aborted. */
  follow(id: string, after: number, signal: AbortSignal): AsyncIterable<string> {
    return this.#follow(id, after, signal, id);
  }

  /** `owner`: its readers read a few pages at a time. */
  async *#follow(
    id: string,
    after: number,
    signal: AbortSignal,
    owner: string,
  ): AsyncIterable<string> {
    const open = this.#open(id, after, owner);
    const { reader } = open;
    const sources = { feed: new TopicEmitter(), notifier: reader.news };
    const changes = new TurnChangeStream(sources, reader.topic, true, signal);
    try {
      yield* framesOf(reader, changes, after, signal);
    } finally {
      changes.close();
      this.#close(id, open);
    }
  }

  /** Follows a turn for a caller who takes a stream up again. Throws 429 when its account has too many of these. */
  replay(accountId: string, id: string, after: number, signal: AbortSignal): AsyncIterable<string> {
    const release = this.#reserve(accountId);
    signal.addEventListener("abort", release, { once: true });
    return released(this.#follow(id, after, signal, accountId), release);
  }

  #reserve(accountId: string): () => void {
    const count = (this.#replays.get(accountId) ?? 0) + 1;
    if (count > maxReplays) throw tooManyReplaysError();
    this.#replays.set(accountId, count);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const left = (this.#replays.get(accountId) ?? 1) - 1;
      if (left === 0) this.#replays.delete(accountId);
      else this.#replays.set(accountId, left);
    };
  }

  #open(id: string, after: number, owner: string): OpenReader {
    const known = this.#readers.get(id);
    if (known !== undefined) {
      known.followers += 1;
      return known;
    }
    const stop = new AbortController();
    const changes = this.#dependencies.changesOf(id, stop.signal);
    const load = (from: number): Promise<ReadPage> =>
      this.#pages.run(owner, () => this.#load(id, from));
    const reader = new SharedTurnEventReader(id, after, { load, changes, pollMs });
    const open = { reader, stop, followers: 1 };
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
  async #load(id: string, after: number): Promise<ReadPage> {
    const nothing = { batches: [], hasMore: false };
    try {
      const page = await this.#dependencies.store.framesAfter(id, after);
      return page ?? { ...nothing, hasEnded: true };
    } catch (error) {
      if (toDatabaseUnavailableError(error) === undefined) throw error;
      return { ...nothing, hasEnded: false, isAway: true };
    }
  }
}

async function* framesOf(
  reader: SharedTurnEventReader,
  changes: TurnChangeStream,
  after: number,
  signal: AbortSignal,
): AsyncIterable<string> {
  let last = after;
  let silentSince = performance.now();
  let mustRead = true;
  while (!signal.aborted) {
    mustRead = changes.reset() || mustRead;
    const page: ReadPage | undefined =
      changes.takeAfter(last) ?? (mustRead ? await reader.read(last) : undefined);
    for (const text of newTexts(page, last)) {
      silentSince = performance.now();
      yield text;
    }
    last = Math.max(last, lastIn(page));
    if (page?.hasEnded === true) return;
    mustRead = page?.hasMore === true || page?.isAway === true;
    if (page?.hasMore === true) continue;
    const silentRest = Math.max(1, silentSince + silentMs - performance.now());
    await changes.next(mustRead ? Math.min(pollMs, silentRest) : silentRest);
    if (performance.now() - silentSince < silentMs) continue;
    silentSince = performance.now();
    yield keepAlive;
  }
}

function* newTexts(page: FramePage | undefined, after: number): Iterable<string> {
  for (const { first, frames } of page?.batches ?? []) {
    yield frames.slice(Math.max(0, after + 1 - first)).join("");
  }
}

function lastIn(page: FramePage | undefined): number {
  const last = page?.batches.at(-1);
  return last === undefined ? -1 : getBatchLastSequence(last);
}

async function* released(
  frames: AsyncIterable<string>,
  release: () => void,
): AsyncIterable<string> {
  try {
    yield* frames;
  } finally {
    release();
  }
}

function tooManyReplaysError(): ApiError {
  return new ApiError(
    "rate_limited",
    `This account follows ${maxReplays} streams of turns at this server, the maximum. Close one, or poll with GET /v1/responses/{id}.`,
    { retryAfterSeconds: comeAgainSeconds },
  );
}
