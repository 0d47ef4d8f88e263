import { createHash } from "node:crypto";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { Clock } from "../platform/clock.ts";
import type { DatabaseChangeFeed } from "../platform/database/change-feed.ts";
import {
  ChangeFeedValueCache,
  type DatabaseChangeFeedHealth,
} from "../platform/database/change-feed-cache.ts";
import type { MaybePromise } from "../platform/maybe-promise.ts";
import { LearnedServiceEntity } from "./learned-service.entity.ts";

/** A document as it was shipped. */
export interface DocumentBytesWithEtag {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Strong entity tag of the bytes. */
  readonly tag: string;
}

export interface PublishedServiceDocumentCacheDependencies {
  readonly fork: () => EntityManager;
  readonly feed: DatabaseChangeFeedHealth & Pick<DatabaseChangeFeed, "on">;
  readonly clock: Clock;
}

/** What services can be called: nothing else is looked for. */
const serviceIdPattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** Documents that are kept in memory; one has up to a megabyte. */
const capacity = 100;

/** The documents of shipped services, from memory while nothing was heard of a change. */
export class PublishedServiceDocumentCache {
  readonly #cache: ChangeFeedValueCache<DocumentBytesWithEtag | undefined>;
  readonly #fork: () => EntityManager;

  constructor({ fork, feed, clock }: PublishedServiceDocumentCacheDependencies) {
    this.#fork = fork;
    this.#cache = new ChangeFeedValueCache({ feed, clock, capacity });
    feed.on("learned_services", ({ id }) => this.#cache.drop(id));
  }

  /** Undefined: there is no such service, or it is not shipped. */
  find(id: string): MaybePromise<DocumentBytesWithEtag | undefined> {
    if (!serviceIdPattern.test(id)) return undefined;
    return this.#cache.get(id, (wanted) => this.#read(wanted));
  }

  async #read(id: string): Promise<DocumentBytesWithEtag | undefined> {
    const row = await this.#fork().findOne(
      LearnedServiceEntity,
      { id, deletedAt: null },
      { fields: ["published"], disableIdentityMap: true },
    );
    if (row === null || row.published === null) return undefined;
    const bytes = new TextEncoder().encode(row.published);
    const hash = createHash("sha256").update(bytes).digest("base64url");
    return { bytes, tag: `"${hash}"` };
  }
}
