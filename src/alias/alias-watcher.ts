import type { AliasChanges } from "../../gen/ts/causeway/alias/v1/alias_pb.ts";
import type { DatabaseChangeFeed } from "../platform/database/change-feed.ts";
import { KeyedConcurrencyLimiter } from "../platform/keyed-limiter.ts";
import { TopicEmitter } from "../platform/topic-emitter.ts";

type WatchFeed = Pick<DatabaseChangeFeed, "on" | "onReset">;

/** Reads the changes of an account's aliases after a revision. */
export type AliasChangesLoader = (accountId: string, afterRev: number) => Promise<AliasChanges>;

/** Follows the aliases of accounts, for any number of streams of each. */
export class AliasChangeWatcher {
  readonly #waiting = new TopicEmitter();
  readonly #load: AliasChangesLoader;
  /** Reads of one account at a time: its streams may begin at as many different revisions. */
  readonly #reads = new KeyedConcurrencyLimiter(2);
  /** Reads that began after the last write of their account, by account and revision. */
  readonly #shared = new Map<string, Map<number, Promise<AliasChanges>>>();

  constructor(feed: WatchFeed, load: AliasChangesLoader) {
    this.#load = load;
    feed.on("aliases", ({ accountId }) => {
      this.#shared.delete(accountId);
      this.#waiting.emit(accountId);
    });
    // Changes may have been missed: everybody looks.
    feed.onReset(() => {
      this.#shared.clear();
      this.#waiting.emitAll();
    });
  }

  /** Yields the changes after a revision, then those of each write, until the signal ends it. */
  async *follow(
    accountId: string,
    afterRev: number,
    signal: AbortSignal,
  ): AsyncGenerator<AliasChanges> {
    let seen = afterRev;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      // Waits before it reads: a write in between wakes it.
      const next = this.#next(accountId, signal);
      const changes = await this.#read(accountId, seen);
      if (isFirst || changes.changes.length > 0) yield changes;
      seen = Math.max(seen, Number(changes.rev));
      await next;
    }
  }

  /** Each write wakes all streams of its account, which read the same. */
  #read(accountId: string, afterRev: number): Promise<AliasChanges> {
    const shared = this.#shared.get(accountId) ?? new Map<number, Promise<AliasChanges>>();
    this.#shared.set(accountId, shared);
    const running = shared.get(afterRev);
    if (running !== undefined) return running;
    const read = this.#reads
      .run(accountId, () => this.#load(accountId, afterRev))
      .finally(() => {
        shared.delete(afterRev);
        if (shared.size === 0 && this.#shared.get(accountId) === shared)
          this.#shared.delete(accountId);
      });
    shared.set(afterRev, read);
    return read;
  }

  /** Resolves at the next change, and when the signal says that nobody waits any more. */
  #next(accountId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        stop();
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const stop = this.#waiting.on(accountId, wake);
      signal.addEventListener("abort", wake);
      if (signal.aborted) wake();
    });
  }
}
