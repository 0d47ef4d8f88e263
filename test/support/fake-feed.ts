import type { ChangedTableRow } from "../../src/platform/database/change.ts";
import type { DatabaseChangeFeedState } from "../../src/platform/database/change-feed.ts";

/** A change feed that tests speak through. */
export class FakeFeed {
  state: DatabaseChangeFeedState = "live";
  trusted = true;
  readonly #listeners: [string, (change: ChangedTableRow) => void][] = [];
  readonly #resets: (() => void)[] = [];
  readonly #downListeners: (() => void)[] = [];

  on(table: string, listener: (change: ChangedTableRow) => void): void {
    this.#listeners.push([table, listener]);
  }

  onReset(listener: () => void): void {
    this.#resets.push(listener);
  }

  onDown(listener: () => void): void {
    this.#downListeners.push(listener);
  }

  announce(change: ChangedTableRow): void {
    for (const [table, listener] of this.#listeners) if (table === change.table) listener(change);
  }

  reset(): void {
    for (const listener of this.#resets) listener();
  }

  /** The next state: only a live feed is trusted, and each other state is told of. */
  become(state: DatabaseChangeFeedState): void {
    this.state = state;
    this.trusted = state === "live";
    if (state === "silent") this.reset();
    if (state === "down") for (const listener of this.#downListeners) listener();
  }
}
