import type { DatabaseChangeFeed } from "../platform/database/change-feed.ts";
import { TopicEmitter } from "../platform/topic-emitter.ts";

type WatchFeed = Pick<DatabaseChangeFeed, "on" | "onReset">;

/** Wakes whoever waits for new aliases of an account. */
export class AliasChangeWatcher {
  readonly #waiting = new TopicEmitter();

  constructor(feed: WatchFeed) {
    feed.on("aliases", ({ accountId }) => this.#waiting.emit(accountId));
    // Changes may have been missed: everybody looks.
    feed.onReset(() => this.#waiting.emitAll());
  }

  /** Resolves at the next change, and when the signal says that nobody waits any more. */
  next(accountId: string, signal: AbortSignal): Promise<void> {
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
