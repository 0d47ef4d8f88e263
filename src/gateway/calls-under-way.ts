/** How many model calls of one key are under way. */
export interface KeyCalls {
  count: number;
  /** Of all keys together. */
  readonly all: { count: number };
}

/** Keys are looked through for those without a call when this many more have come. */
const sweepAfter = 10_000;

/**
 * The model calls that are under way in this process, by key. The record of a key
 * stays between its calls, so that a call costs a look-up and four additions.
 */
export class CallsUnderWay {
  readonly all = { count: 0 };
  readonly #byKey = new Map<string, KeyCalls>();
  #sweepAt = sweepAfter;

  /** Keys that are remembered now. */
  get size(): number {
    return this.#byKey.size;
  }

  /** The record of a key: raise both of its numbers and lower them in place. Ask for it anew for each call. */
  of(keyId: string): KeyCalls {
    const known = this.#byKey.get(keyId);
    if (known !== undefined) return known;
    if (this.#byKey.size >= this.#sweepAt) this.#sweep();
    const calls = { count: 0, all: this.all };
    this.#byKey.set(keyId, calls);
    return calls;
  }

  #sweep(): void {
    for (const [keyId, { count }] of this.#byKey) if (count === 0) this.#byKey.delete(keyId);
    this.#sweepAt = this.#byKey.size + sweepAfter;
  }
}
