import { IdleEvictingMap } from "../../platform/idle-evicting-map.ts";

/** How many model calls of one key are under way. */
export interface KeyInFlightCount {
  count: number;
  /** Of all keys together. */
  readonly all: { count: number };
}

/** The model calls that are under way in this process, by key. */
export class InFlightCallCounter {
  readonly all = { count: 0 };
  readonly #keys = new IdleEvictingMap<KeyInFlightCount>(
    () => ({ count: 0, all: this.all }),
    ({ count }) => count === 0,
  );

  /** Keys that are remembered now. */
  get size(): number {
    return this.#keys.size;
  }

  /** The record of a key: raise both of its numbers and lower them in place. Ask for it anew for each call. */
  of(keyId: string): KeyInFlightCount {
    return this.#keys.getOrCreate(keyId);
  }
}
