import type { Change } from "../../src/platform/database/change.ts";

/** A change feed that tests speak through. */
export class FakeFeed {
  trusted = true;
  readonly #listeners: [string, (change: Change) => void][] = [];
  readonly #resets: (() => void)[] = [];

  on(table: string, listener: (change: Change) => void): void {
    this.#listeners.push([table, listener]);
  }

  onReset(listener: () => void): void {
    this.#resets.push(listener);
  }

  announce(change: Change): void {
    for (const [table, listener] of this.#listeners) if (table === change.table) listener(change);
  }

  reset(): void {
    for (const listener of this.#resets) listener();
  }
}
