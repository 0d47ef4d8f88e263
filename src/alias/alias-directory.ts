import type { EntityManager } from "@mikro-orm/postgresql";
import type { Clock } from "../platform/clock.ts";
import type { DatabaseChangeFeed } from "../platform/database/change-feed.ts";
import {
  ChangeFeedValueCache,
  type DatabaseChangeFeedHealth,
  type CacheMissLoader,
} from "../platform/database/change-feed-cache.ts";
import { createSingleTargetAliasRouting, type AliasRouting } from "../domain/alias-target.ts";
import { getAliasRouting, listAccountAliases } from "./aliases.ts";
import type { GlobalAlias } from "./global-aliases.ts";
import { chainMaybePromise, type MaybePromise } from "../platform/maybe-promise.ts";

export interface AliasDirectoryDependencies {
  readonly globalAliases: readonly GlobalAlias[];
  readonly fork: () => EntityManager;
  readonly feed: DatabaseChangeFeedHealth & Pick<DatabaseChangeFeed, "on">;
  readonly clock: Clock;
}

type Targets = ReadonlyMap<string, AliasRouting>;

/** What a token stands for, from memory on the warm path: own, then built-in, then catalogue. */
export class AliasDirectory {
  readonly #standing = new Map<string, AliasRouting>();
  readonly #cache: ChangeFeedValueCache<Targets>;
  readonly #load: CacheMissLoader<Targets>;

  constructor({ globalAliases: standing, fork, feed, clock }: AliasDirectoryDependencies) {
    for (const alias of standing.toReversed())
      this.#standing.set(alias.token, createSingleTargetAliasRouting(alias));
    this.#cache = new ChangeFeedValueCache({ feed, clock });
    this.#load = async (accountId) => targetsOf(await listAccountAliases(fork(), accountId));
    feed.on("aliases", ({ accountId }) => this.#cache.drop(accountId));
  }

  /** Undefined: there is no such alias. Rejects with 503 without a database. */
  find(accountId: string, token: string): MaybePromise<AliasRouting | undefined> {
    const own = this.#cache.get(accountId, this.#load);
    return chainMaybePromise(own, (targets) => targets.get(token) ?? this.#standing.get(token));
  }
}

function targetsOf(rows: Awaited<ReturnType<typeof listAccountAliases>>): Targets {
  return new Map(rows.map((row) => [row.token, getAliasRouting(row)]));
}
