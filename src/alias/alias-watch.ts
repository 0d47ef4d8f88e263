import type { ChangeFeed } from "../platform/database/change-feed.ts";
import { TopicListeners } from "../platform/topic-listeners.ts";

type WatchFeed = Pick<ChangeFeed, "on" | "onReset">;

/** Wakes whoever waits for new aliases of an account. */
export class AliasWatch {
  readonly #waiting = new TopicListeners();

  constructor(feed: WatchFeed) {
    feed.on("aliases", ({ accountId }) => this.#waiting.tell(accountId));
    // Changes may have been missed: everybody looks.
    feed.onReset(() => this.#waiting.tellAll());
  }

  /** Resolves at the next change, and when the signal says that nobody waits any more. */
  next(accountId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        stop();
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const stop = this.#waiting.add(accountId, wake);
      signal.addEventListener("abort", wake);
      if (signal.aborted) wake();
    });
  }
}
