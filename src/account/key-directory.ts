import { hash } from "node:crypto";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { Clock } from "../platform/clock.ts";
import { isWellFormedToken } from "../platform/crypto/token.ts";
import type { ChangeFeed } from "../platform/database/change-feed.ts";
import { databaseUnavailable } from "../platform/database/database-unavailable.ts";
import { ApiError } from "../platform/errors.ts";
import { ExpiringSet } from "./expiring-set.ts";
import { asOf, loadKey, type ResolvedKey } from "./resolved-key.ts";
import type { TeamMembership } from "./team-membership.ts";
import type { TokenHasher } from "./token-hasher.ts";

const mostKeys = 10_000;
const mostUnknown = 10_000;
const unknownForMs = 3_000;
/** How long a key works on without a database (contract section 6, When PostgreSQL is away). */
const withoutDatabaseMs = 15 * 60_000;

export interface KeyDirectoryDependencies {
  readonly fork: () => EntityManager;
  readonly feed: Pick<ChangeFeed, "on" | "onReset" | "trusted" | "state">;
  readonly hasher: TokenHasher;
  readonly teams: TeamMembership;
  readonly clock: Clock;
}

interface Entry {
  readonly key: ResolvedKey;
  /** Whether every change since was heard of; else the key is read again before it is used. */
  current: boolean;
  /** When the database was last known to say the same. */
  confirmedAt: number;
}

/**
 * Caller keys by their secret, from memory while the change feed is trusted: a
 * warm look-up is synchronous and does no SQL. A change of a key, its user or
 * its team drops it, in every process within a second. While the feed is not
 * trusted every call reads the database; while that is away too, a cached key
 * works on for fifteen minutes.
 *
 * Secrets are kept as SHA-256 only. Junk is refused by its checksum, unknown
 * keys are remembered for a few seconds, so that a flood of either costs nothing.
 */
export class KeyDirectory {
  readonly #dependencies: KeyDirectoryDependencies;
  readonly #entries = new Map<string, Entry>();
  readonly #unknown: ExpiringSet;
  readonly #loads = new Map<string, Promise<ResolvedKey | undefined>>();
  /** Raised by every change, so that a read that a change overtook is not kept. */
  #generation = 0;

  constructor(dependencies: KeyDirectoryDependencies) {
    this.#dependencies = dependencies;
    this.#unknown = new ExpiringSet(mostUnknown, unknownForMs);
    const { feed } = dependencies;
    feed.on("caller_keys", ({ id }) => this.#drop((key) => key.principal.keyId === id));
    feed.on("users", ({ id }) => this.#drop((key) => key.principal.userId === id));
    feed.onReset(() => this.#doubtAll());
  }

  /**
   * The key of a secret, refused ones included (see `refusal`); undefined for a
   * secret that was never issued. Synchronous when warm. Rejects with 503
   * `unavailable` when the database is needed and away.
   */
  lookup(token: string): ResolvedKey | undefined | Promise<ResolvedKey | undefined> {
    const digest = hash("sha256", token, "base64url");
    const now = this.#dependencies.clock.now();
    const entry = this.#entries.get(digest);
    if (entry === undefined) return this.#lookupUnknown(token, digest, now);
    if (!this.#dependencies.feed.trusted) this.#doubt(entry, now);
    if (!entry.current) return this.#lookupDoubted(token, digest, entry, now);
    entry.confirmedAt = now;
    return asOf(entry.key, now);
  }

  /** Forgets the keys of a team, when its members change for instance. */
  dropAccount(accountId: string): void {
    this.#drop((key) => key.principal.accountId === accountId);
  }

  #lookupUnknown(
    token: string,
    digest: string,
    now: number,
  ): undefined | Promise<ResolvedKey | undefined> {
    if (!isWellFormedToken(token, "cwk") || this.#unknown.has(digest, now)) return undefined;
    return this.#load(token, digest);
  }

  async #lookupDoubted(
    token: string,
    digest: string,
    entry: Entry,
    now: number,
  ): Promise<ResolvedKey | undefined> {
    const works = now - entry.confirmedAt <= withoutDatabaseMs;
    if (works && this.#dependencies.feed.state === "away") return asOf(entry.key, now);
    try {
      return await this.#load(token, digest);
    } catch (error) {
      if (!works || !isUnavailable(error)) throw error;
      return asOf(entry.key, now);
    }
  }

  /** Calls that need the same key at the same time share one read. */
  #load(token: string, digest: string): Promise<ResolvedKey | undefined> {
    const running = this.#loads.get(digest);
    if (running !== undefined) return running;
    const load = this.#read(token, digest).finally(() => this.#loads.delete(digest));
    this.#loads.set(digest, load);
    return load;
  }

  async #read(token: string, digest: string): Promise<ResolvedKey | undefined> {
    const { clock, feed } = this.#dependencies;
    const generation = this.#generation;
    const wasTrusted = feed.trusted;
    const key = await this.#ask(token);
    const now = clock.now();
    if (key === undefined) {
      this.#entries.delete(digest);
      this.#unknown.add(digest, now);
      return undefined;
    }
    const current = wasTrusted && feed.trusted && generation === this.#generation;
    this.#keep(digest, { key, current, confirmedAt: now });
    return asOf(key, now);
  }

  async #ask(token: string): Promise<ResolvedKey | undefined> {
    const { fork, hasher, teams } = this.#dependencies;
    try {
      return await loadKey(fork(), hasher.hash(token).hash, teams);
    } catch (error) {
      throw databaseUnavailable(error) ?? error;
    }
  }

  #keep(digest: string, entry: Entry): void {
    this.#entries.delete(digest);
    this.#entries.set(digest, entry);
    if (this.#entries.size <= mostKeys) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  #drop(matches: (key: ResolvedKey) => boolean): void {
    this.#generation += 1;
    for (const [digest, entry] of this.#entries) {
      if (matches(entry.key)) this.#entries.delete(digest);
    }
  }

  /** The feed missed changes, or may have: nothing is used again without a look at the database. */
  #doubtAll(): void {
    this.#generation += 1;
    const now = this.#dependencies.clock.now();
    for (const entry of this.#entries.values()) this.#doubt(entry, now);
  }

  /** Up to now the feed would have told of a change. */
  #doubt(entry: Entry, now: number): void {
    if (!entry.current) return;
    entry.current = false;
    entry.confirmedAt = now;
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === "unavailable";
}
