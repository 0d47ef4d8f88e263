import { hash } from "node:crypto";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { Clock } from "../platform/clock.ts";
import { isWellFormedCredentialToken } from "../platform/crypto/token.ts";
import type { DatabaseChangeFeed } from "../platform/database/change-feed.ts";
import {
  ChangeFeedValueCache,
  type DatabaseChangeFeedHealth,
} from "../platform/database/change-feed-cache.ts";
import { ExpiringSet } from "./expiring-set.ts";
import type { UnknownCredentialRateLimiter } from "./unknown-credential-limiter.ts";
import {
  markKeyRejectedIfExpired,
  loadKeyBySecretHash,
  loadKeyById,
  type ResolvedCallerKey,
} from "./resolved-key.ts";
import type { TeamMembershipLookup } from "./team-membership.ts";
import type { TokenHasher } from "./token-hasher.ts";
import type { MaybePromise } from "../platform/maybe-promise.ts";

const maxUnknownKeys = 10_000;
const unknownKeyTtlMs = 3_000;

export interface CallerKeyDirectoryDependencies {
  readonly fork: () => EntityManager;
  readonly feed: DatabaseChangeFeedHealth & Pick<DatabaseChangeFeed, "on">;
  readonly hasher: TokenHasher;
  readonly teams: TeamMembershipLookup;
  readonly clock: Clock;
  readonly unknownCredentials: UnknownCredentialRateLimiter;
}

/**
 * Caller keys by their secret, from memory on the warm path (see `ChangeFeedValueCache`). A
 * change of a key, its user or its team drops it, in every process within a
 * second.
 *
 * Secrets are kept as SHA-256 only. Junk is refused by its checksum, unknown
 * keys are remembered for a few seconds, so that a flood of either asks the
 * database nothing, and so many of different ones are looked up for one network
 * and no more.
 */
export class CallerKeyDirectory {
  readonly #dependencies: CallerKeyDirectoryDependencies;
  readonly #cache: ChangeFeedValueCache<ResolvedCallerKey | undefined>;
  /** By their ids, for what runs on behalf of a key that nobody presents. */
  readonly #byId: ChangeFeedValueCache<ResolvedCallerKey | undefined>;
  readonly #unknown = new ExpiringSet(maxUnknownKeys, unknownKeyTtlMs);

  constructor(dependencies: CallerKeyDirectoryDependencies) {
    const { feed } = dependencies;
    this.#dependencies = dependencies;
    this.#cache = new ChangeFeedValueCache(dependencies);
    this.#byId = new ChangeFeedValueCache(dependencies);
    feed.on("caller_keys", ({ id }) => this.#dropWhere((key) => key.principal.keyId === id));
    feed.on("users", ({ id }) => this.#dropWhere((key) => key.principal.userId === id));
  }

  /**
   * The key of a secret, refused ones included (see `refusal`); undefined for a
   * secret that was never issued. Synchronous when warm. Rejects with 503
   * `unavailable` when the database is needed and away, and with 429 when too many
   * unknown ones came from `address`.
   */
  lookup(token: string, address?: string): MaybePromise<ResolvedCallerKey | undefined> {
    const digest = hash("sha256", token, "base64url");
    const now = this.#dependencies.clock.now();
    const key = this.#cache.peek(digest);
    if (key !== undefined) return markKeyRejectedIfExpired(key, now);
    if (!isWellFormedCredentialToken(token, "cwk") || this.#unknown.has(digest, now))
      return undefined;
    return this.#read(token, digest, address);
  }

  /** The key of an id, refused ones included; undefined: there is none. Rejects like `lookup`. */
  async find(keyId: string): Promise<ResolvedCallerKey | undefined> {
    const { fork, teams, clock } = this.#dependencies;
    const key = await this.#byId.get(keyId, () => loadKeyById(fork(), keyId, teams));
    return key === undefined ? undefined : markKeyRejectedIfExpired(key, clock.now());
  }

  /** Forgets the keys of a team, when its members change for instance. */
  dropAccount(accountId: string): void {
    this.#dropWhere((key) => key.principal.accountId === accountId);
  }

  #dropWhere(matches: (key: ResolvedCallerKey) => boolean): void {
    this.#cache.dropWhere(matches);
    this.#byId.dropWhere(matches);
  }

  async #read(
    token: string,
    digest: string,
    address: string | undefined,
  ): Promise<ResolvedCallerKey | undefined> {
    const payer = this.#cache.has(digest) ? undefined : address;
    const key = await this.#cache.get(digest, () => {
      return this.#dependencies.unknownCredentials.spend(payer, () => this.#load(token, digest));
    });
    return key === undefined
      ? undefined
      : markKeyRejectedIfExpired(key, this.#dependencies.clock.now());
  }

  async #load(token: string, digest: string): Promise<ResolvedCallerKey | undefined> {
    const { fork, hasher, teams, clock } = this.#dependencies;
    const key = await loadKeyBySecretHash(fork(), hasher.hash(token).hash, teams);
    if (key === undefined) this.#unknown.add(digest, clock.now());
    return key;
  }
}
