import type { Clock } from "../clock.ts";
import type { ChangeFeed } from "../database/change-feed.ts";
import { databaseUnavailable } from "../database/database-unavailable.ts";

export interface AccountCacheOptions<Value> {
  /** Table whose changes drop what is cached of their account. */
  readonly table: string;
  /** Reads what is cached of an account, one query. */
  readonly load: (accountId: string) => Promise<Value>;
  readonly feed: Pick<ChangeFeed, "on" | "onReset" | "trusted">;
  readonly clock: Clock;
  /** Accounts kept at most; the one loaded longest ago goes first. */
  readonly capacity?: number;
}

interface Entry<Value> {
  readonly value: Value;
  /** Whether every change since was heard of; else it is read again before use. */
  current: boolean;
  /** When the database was last known to say the same. */
  confirmedAt: number;
}

/** How long a cached value serves without a database (contract section 6, When PostgreSQL is away). */
const withoutDatabaseMs = 15 * 60_000;
/** After a failed read the database is not asked again for this long. */
const awayForMs = 1000;

/**
 * What calls need of an account, from memory while the change feed is trusted.
 * A change of the table drops the account; a feed that is not trusted makes
 * every call read; a database that is away lets cached values serve for
 * fifteen minutes.
 */
export class AccountCache<Value> {
  readonly #options: AccountCacheOptions<Value>;
  readonly #capacity: number;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #loads = new Map<string, Promise<Value>>();
  /** Raised by every change, so that a read that a change overtook is not kept. */
  #generation = 0;
  #awayUntil = 0;

  constructor(options: AccountCacheOptions<Value>) {
    this.#options = options;
    this.#capacity = options.capacity ?? 10_000;
    options.feed.on(options.table, ({ accountId }) => this.#drop(accountId));
    options.feed.onReset(() => this.#doubtAll());
  }

  /** Synchronous when warm. Rejects with 503 `unavailable` when the database is needed and away. */
  get(accountId: string): Value | Promise<Value> {
    const entry = this.#entries.get(accountId);
    if (entry === undefined) return this.#load(accountId);
    const now = this.#options.clock.now();
    if (!this.#options.feed.trusted) doubt(entry, now);
    if (!entry.current) return this.#getDoubted(accountId, entry, now);
    entry.confirmedAt = now;
    return entry.value;
  }

  async #getDoubted(accountId: string, entry: Entry<Value>, now: number): Promise<Value> {
    const serves = now - entry.confirmedAt <= withoutDatabaseMs;
    if (serves && now < this.#awayUntil) return entry.value;
    try {
      return await this.#load(accountId);
    } catch (error) {
      if (!serves || databaseUnavailable(error) === undefined) throw error;
      this.#awayUntil = now + awayForMs;
      return entry.value;
    }
  }

  /** Calls that need the same account at the same time share one read. */
  #load(accountId: string): Promise<Value> {
    const running = this.#loads.get(accountId);
    if (running !== undefined) return running;
    const load = this.#read(accountId).finally(() => {
      if (this.#loads.get(accountId) === load) this.#loads.delete(accountId);
    });
    this.#loads.set(accountId, load);
    return load;
  }

  async #read(accountId: string): Promise<Value> {
    const { load, feed, clock } = this.#options;
    const generation = this.#generation;
    const wasTrusted = feed.trusted;
    const value = await load(accountId);
    const current = wasTrusted && feed.trusted && generation === this.#generation;
    this.#keep(accountId, { value, current, confirmedAt: clock.now() });
    return value;
  }

  #keep(accountId: string, entry: Entry<Value>): void {
    this.#entries.delete(accountId);
    this.#entries.set(accountId, entry);
    if (this.#entries.size <= this.#capacity) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  #drop(accountId: string): void {
    this.#generation += 1;
    this.#entries.delete(accountId);
    this.#loads.delete(accountId);
  }

  /** The feed missed changes, or may have. */
  #doubtAll(): void {
    this.#generation += 1;
    this.#loads.clear();
    const now = this.#options.clock.now();
    for (const entry of this.#entries.values()) doubt(entry, now);
  }
}

/** Up to now the feed would have told of a change. */
function doubt(entry: Entry<unknown>, now: number): void {
  if (!entry.current) return;
  entry.current = false;
  entry.confirmedAt = now;
}
