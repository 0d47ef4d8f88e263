import type { Clock } from "../clock.ts";
import type { DatabaseChangeFeed } from "./change-feed.ts";
import { isDatabaseDownError, toDatabaseUnavailableError } from "./database-unavailable.ts";
import type { MaybePromise } from "../maybe-promise.ts";

/** What a cache must know of the change feed. */
export type DatabaseChangeFeedHealth = Pick<
  DatabaseChangeFeed,
  "onReset" | "onDown" | "trusted" | "state"
>;

export interface ChangeFeedCacheDependencies {
  readonly feed: DatabaseChangeFeedHealth;
  readonly clock: Clock;
  /** Values kept at most; the one read longest ago goes first. Default 10 000. */
  readonly capacity?: number;
}

/** Reads the value of a key; undefined, which is not kept, says that there is none. */
export type CacheMissLoader<Value> = (key: string) => Promise<Value>;

interface Entry<Value> {
  readonly value: NonNullable<Value>;
  /** Whether every change since was heard of; else it is read again before use. */
  current: boolean;
  /** For one that is not current: until when the database was known to say the same. */
  confirmedAt: number;
}

/** How long a value serves without a database. */
const maxStaleMs = 15 * 60_000;
/** After a failed read the database is not asked again for this long, unless it is heard. */
const pauseMs = 1000;

/**
 * Values read from the database, from memory while the change feed is trusted:
 *
 * - A warm value is given synchronously, without SQL.
 * - Whoever owns the cache listens to the feed and drops what has changed. A
 *   read that a change or a reset overtook is neither kept nor shared.
 * - While the feed is not trusted, and once after a reset, a value is read again
 *   before each use.
 * - While the database is away too, a value that is there serves for fifteen
 *   minutes, and the database is asked once a second at most. One that is only
 *   overloaded still knows what changed: then the read fails.
 * - Uses of the same key at the same time share one read.
 */
export class ChangeFeedValueCache<Value> {
  readonly #feed: DatabaseChangeFeedHealth;
  readonly #clock: Clock;
  readonly #capacity: number;
  readonly #entries = new Map<string, Entry<Value>>();
  /** Running reads that nothing has overtaken. */
  readonly #reads = new Map<string, Promise<Value>>();
  #pausedUntil = 0;

  constructor({ feed, clock, capacity = 10_000 }: ChangeFeedCacheDependencies) {
    this.#feed = feed;
    this.#clock = clock;
    this.#capacity = capacity;
    feed.onReset(() => this.#onReset());
    feed.onDown(() => this.#markAllStale());
  }

  /** Whether there is a value of the key, be it one that has to be read again. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** The value, if it may be used without a look at the database. */
  peek(key: string): NonNullable<Value> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (!this.#feed.trusted) this.#markStale(entry, this.#clock.now());
    return entry.current ? entry.value : undefined;
  }

  /**
   * The value, synchronously when warm; else `load` reads it. Rejects with 503
   * `unavailable` when the database is needed and away or overloaded, and with what `load`
   * rejects with otherwise.
   */
  get(key: string, load: CacheMissLoader<Value>): MaybePromise<Value> {
    const warm = this.peek(key);
    if (warm !== undefined) return warm;
    const entry = this.#entries.get(key);
    return entry === undefined ? this.#read(key, load) : this.#revalidate(key, load, entry);
  }

  /** Forgets a key whose value has changed. */
  drop(key: string): void {
    this.#entries.delete(key);
    this.#reads.delete(key);
  }

  /** Forgets the values that match. A running read may be of one of them: none is kept. */
  dropWhere(matches: (value: NonNullable<Value>) => boolean): void {
    this.#reads.clear();
    for (const [key, { value }] of this.#entries) {
      if (matches(value)) this.#entries.delete(key);
    }
  }

  async #revalidate(
    key: string,
    load: CacheMissLoader<Value>,
    entry: Entry<Value>,
  ): Promise<Value> {
    const now = this.#clock.now();
    const serves = now - entry.confirmedAt <= maxStaleMs;
    if (serves && this.#isDown(now)) return entry.value;
    try {
      return await this.#read(key, load);
    } catch (error) {
      if (!serves || !isDatabaseDownError(error)) throw error;
      return entry.value;
    }
  }

  #isDown(now: number): boolean {
    const { state, trusted } = this.#feed;
    return state === "down" || (!trusted && now < this.#pausedUntil);
  }

  #read(key: string, load: CacheMissLoader<Value>): Promise<Value> {
    const running = this.#reads.get(key);
    if (running !== undefined) return running;
    const wasTrusted = this.#feed.trusted;
    const read: Promise<Value> = this.#load(key, load)
      .then((value) => {
        const isOvertaken = this.#reads.get(key) !== read;
        if (!isOvertaken) this.#store(key, value, wasTrusted && this.#feed.trusted);
        return value;
      })
      .finally(() => {
        if (this.#reads.get(key) === read) this.#reads.delete(key);
      });
    this.#reads.set(key, read);
    return read;
  }

  async #load(key: string, load: CacheMissLoader<Value>): Promise<Value> {
    try {
      return await load(key);
    } catch (error) {
      const unavailable = toDatabaseUnavailableError(error);
      if (unavailable === undefined) throw error;
      if (isDatabaseDownError(error)) this.#pausedUntil = this.#clock.now() + pauseMs;
      throw unavailable;
    }
  }

  #store(key: string, value: Value, current: boolean): void {
    this.#entries.delete(key);
    if (value === undefined || value === null) return;
    this.#entries.set(key, { value, current, confirmedAt: this.#clock.now() });
    if (this.#entries.size <= this.#capacity) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  /** The feed missed changes, or may have. */
  #onReset(): void {
    this.#reads.clear();
    this.#markAllStale();
  }

  /** Up to now the feed would have told of changes: the fifteen minutes begin, used or not. */
  #markAllStale(): void {
    const now = this.#clock.now();
    for (const entry of this.#entries.values()) this.#markStale(entry, now);
  }

  #markStale(entry: Entry<Value>, now: number): void {
    if (!entry.current) return;
    entry.current = false;
    entry.confirmedAt = now;
  }
}
