import type { EntityManager } from "@mikro-orm/postgresql";
import type { Clock } from "../platform/clock.ts";
import type { ChangeFeed } from "../platform/database/change-feed.ts";
import { FedCache, type CacheFeed, type LoadMissing } from "../platform/database/fed-cache.ts";
import { onlyTarget, type AliasedModels } from "../kernel/alias-target.ts";
import { modelsOf, ownAliases } from "./aliases.ts";
import type { StandingAlias } from "./standing-aliases.ts";
import { whenWarm, type Warm } from "../platform/warm.ts";

export interface AliasDirectoryDependencies {
  readonly standing: readonly StandingAlias[];
  readonly fork: () => EntityManager;
  readonly feed: CacheFeed & Pick<ChangeFeed, "on">;
  readonly clock: Clock;
}

type Targets = ReadonlyMap<string, AliasedModels>;

/** What a token stands for, from memory on the warm path: own, then built-in, then catalogue. */
export class AliasDirectory {
  readonly #standing = new Map<string, AliasedModels>();
  readonly #cache: FedCache<Targets>;
  readonly #load: LoadMissing<Targets>;

  constructor({ standing, fork, feed, clock }: AliasDirectoryDependencies) {
    for (const alias of standing.toReversed()) this.#standing.set(alias.token, onlyTarget(alias));
    this.#cache = new FedCache({ feed, clock });
    this.#load = async (accountId) => targetsOf(await ownAliases(fork(), accountId));
    feed.on("aliases", ({ accountId }) => this.#cache.drop(accountId));
  }

  /** Undefined: there is no such alias. Rejects with 503 without a database. */
  find(accountId: string, token: string): Warm<AliasedModels | undefined> {
    const own = this.#cache.get(accountId, this.#load);
    return whenWarm(own, (targets) => targets.get(token) ?? this.#standing.get(token));
  }
}

function targetsOf(rows: Awaited<ReturnType<typeof ownAliases>>): Targets {
  return new Map(rows.map((row) => [row.token, modelsOf(row)]));
}
