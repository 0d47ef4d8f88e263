import type { EntityManager } from "@mikro-orm/postgresql";
import type { Clock } from "../platform/clock.ts";
import type { ChangeFeed } from "../platform/database/change-feed.ts";
import {
  ChangeFeedCache,
  type ChangeFeedHealth,
  type MissingValueLoader,
} from "../platform/database/change-feed-cache.ts";
import { createSingleTargetRouting, type AliasRouting } from "../domain/alias-target.ts";
import { getAliasRouting, listPersonalAliases } from "./aliases.ts";
import type { GlobalAlias } from "./global-aliases.ts";
import { chainMaybePromise, type MaybePromise } from "../platform/maybe-promise.ts";

export interface AliasDirectoryDependencies {
  readonly globalAliases: readonly GlobalAlias[];
  readonly fork: () => EntityManager;
  readonly feed: ChangeFeedHealth & Pick<ChangeFeed, "on">;
  readonly clock: Clock;
}

type Targets = ReadonlyMap<string, AliasRouting>;

/** What a token stands for, from memory on the warm path: own, then built-in, then catalogue. */
export class AliasDirectory {
  readonly #standing = new Map<string, AliasRouting>();
  readonly #cache: ChangeFeedCache<Targets>;
  readonly #load: MissingValueLoader<Targets>;

  constructor({ globalAliases: standing, fork, feed, clock }: AliasDirectoryDependencies) {
    for (const alias of standing.toReversed())
      this.#standing.set(alias.token, createSingleTargetRouting(alias));
    this.#cache = new ChangeFeedCache({ feed, clock });
    this.#load = async (accountId) => targetsOf(await listPersonalAliases(fork(), accountId));
    feed.on("aliases", ({ accountId }) => this.#cache.drop(accountId));
  }

  /** Undefined: there is no such alias. Rejects with 503 without a database. */
  find(accountId: string, token: string): MaybePromise<AliasRouting | undefined> {
    const own = this.#cache.get(accountId, this.#load);
    return chainMaybePromise(own, (targets) => targets.get(token) ?? this.#standing.get(token));
  }
}

function targetsOf(rows: Awaited<ReturnType<typeof listPersonalAliases>>): Targets {
  return new Map(rows.map((row) => [row.token, getAliasRouting(row)]));
}
