import { IdleEvictingMap } from "../../platform/idle-evicting-map.ts";

/** How many model calls of one key are under way. */
export interface KeyInFlightCalls {
  count: number;
  /** Of all keys together. */
  readonly all: { count: number };
}

/** The model calls that are under way in this process, by key. */
export class InFlightCalls {
  readonly all = { count: 0 };
  readonly #keys = new IdleEvictingMap<KeyInFlightCalls>(
    () => ({ count: 0, all: this.all }),
    ({ count }) => count === 0,
  );

  /** Keys that are remembered now. */
  get size(): number {
    return this.#keys.size;
  }

  /** The record of a key: raise both of its numbers and lower them in place. Ask for it anew for each call. */
  of(keyId: string): KeyInFlightCalls {
    return this.#keys.getOrCreate(keyId);
  }
}
