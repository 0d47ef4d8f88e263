import { LRUCache } from "lru-cache";
import type { Dispatcher } from "undici";

export interface UpstreamConnectionPoolsDependencies {
  /** Makes the pools of one key. */
  readonly create: () => Dispatcher;
  /** Keys kept at most; the least recently used one goes first. */
  readonly maxPools: number;
  /** Milliseconds after which an unused key is given up. */
  readonly idleMs: number;
}

/**
 * Connection pools by key, bounded in number. A pool that is given up closes
 * its idle connections at once and lets running requests finish.
 */
export class UpstreamConnectionPools {
  readonly #create: UpstreamConnectionPoolsDependencies["create"];
  readonly #pools: LRUCache<string, Dispatcher>;
  readonly #closing = new Set<Dispatcher>();
  readonly #timer: NodeJS.Timeout;

  constructor({ create, maxPools, idleMs }: UpstreamConnectionPoolsDependencies) {
    this.#create = create;
    this.#pools = new LRUCache({
      max: maxPools,
      ttl: idleMs,
      updateAgeOnGet: true,
      dispose: (dispatcher) => this.#release(dispatcher),
    });
    this.#timer = setInterval(() => this.#pools.purgeStale(), idleMs).unref();
  }

  /** Keys that have a pool now. */
  get size(): number {
    return this.#pools.size;
  }

  /** The pool of a key, made when it is missing. Dispatch on it at once, do not keep it. */
  get(key: string): Dispatcher {
    const known = this.#pools.get(key);
    if (known !== undefined) return known;
    const dispatcher = this.#create();
    this.#pools.set(key, dispatcher);
    return dispatcher;
  }

  /** Gives the pool of a key up. */
  drop(key: string): void {
    this.#pools.delete(key);
  }

  /** Ends everything, running requests included. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const all = new Set([...this.#pools.values(), ...this.#closing]);
    this.#pools.clear();
    await Promise.all([...all].map((dispatcher) => dispatcher.destroy()));
  }

  #release(dispatcher: Dispatcher): void {
    this.#closing.add(dispatcher);
    const forget = (): boolean => this.#closing.delete(dispatcher);
    dispatcher.close().then(forget, forget);
  }
}
