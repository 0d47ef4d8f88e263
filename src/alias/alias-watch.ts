import type { ChangeFeed } from "../platform/database/change-feed.ts";

type WatchFeed = Pick<ChangeFeed, "on" | "onReset">;

/** Wakes whoever waits for new aliases of an account. */
export class AliasWatch {
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(feed: WatchFeed) {
    feed.on("aliases", ({ accountId }) => this.#wake(this.#waiting.get(accountId)));
    // Changes may have been missed: everybody looks.
    feed.onReset(() => {
      for (const waiting of this.#waiting.values()) this.#wake(waiting);
    });
  }

  /** Resolves at the next change, and when the signal says that nobody waits any more. */
  next(accountId: string, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting.get(accountId) ?? new Set();
    this.#waiting.set(accountId, waiting);
    return new Promise((resolve) => {
      const wake = (): void => {
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(accountId);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      waiting.add(wake);
      signal.addEventListener("abort", wake);
      if (signal.aborted) wake();
    });
  }

  #wake(waiting: ReadonlySet<() => void> | undefined): void {
    for (const wake of waiting ?? []) wake();
  }
}
