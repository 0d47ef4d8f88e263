import type { Dispatcher } from "undici";

export interface PoolRegistryOptions {
  /** Makes the pools of one key. */
  readonly create: () => Dispatcher;
  /** Keys kept at most; the least recently used one goes first. */
  readonly maxPools: number;
  /** Milliseconds after which an unused key is given up. */
  readonly idleMs: number;
}

interface Entry {
  readonly dispatcher: Dispatcher;
  /** Used since the last sweep. */
  used: boolean;
}

/**
 * Connection pools by key, bounded in number. A pool that is given up closes
 * its idle connections at once and lets running requests finish.
 */
export class PoolRegistry {
  readonly #options: PoolRegistryOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #closing = new Set<Dispatcher>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: PoolRegistryOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.sweep(), options.idleMs).unref();
  }

  /** Keys that have a pool now. */
  get size(): number {
    return this.#entries.size;
  }

  /** The pool of a key, made when it is missing. Dispatch on it at once, do not keep it. */
  get(key: string): Dispatcher {
    const entry = this.#entries.get(key);
    if (entry === undefined) return this.#add(key);
    entry.used = true;
    return entry.dispatcher;
  }

  /** Gives the pool of a key up. */
  drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#release(entry.dispatcher);
  }

  /** Gives up what was not used since the last sweep. */
  sweep(): void {
    for (const [key, entry] of this.#entries) {
      if (!entry.used) this.drop(key);
      entry.used = false;
    }
  }

  /** Ends everything, running requests included. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const open = [...this.#entries.values()].map(({ dispatcher }) => dispatcher);
    const all = [...open, ...this.#closing];
    this.#entries.clear();
    await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
  }

  #add(key: string): Dispatcher {
    if (this.#entries.size >= this.#options.maxPools) this.drop(this.#victim());
    const dispatcher = this.#options.create();
    this.#entries.set(key, { dispatcher, used: true });
    return dispatcher;
  }

  /** The oldest key without use since the last sweep, else the oldest. */
  #victim(): string {
    const keys = [...this.#entries.keys()];
    return keys.find((key) => this.#entries.get(key)?.used === false) ?? keys[0] ?? "";
  }

  #release(dispatcher: Dispatcher): void {
    this.#closing.add(dispatcher);
    const forget = (): boolean => this.#closing.delete(dispatcher);
    dispatcher.close().then(forget, forget);
  }
}
