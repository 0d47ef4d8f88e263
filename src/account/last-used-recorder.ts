import type { Logger } from "pino";
import type { Clock } from "../platform/clock.ts";

/** A use is worth a write when the one before is at least this old. */
const granularityMs = 60_000;
const flushDelayMs = 200;
const retryDelayMs = 5_000;

export interface LastUsedRecorderDependencies {
  /** Writes that all these were used at that time. */
  readonly write: (ids: readonly string[], at: Date) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Collects what was used, keys or sessions, and writes it to the minute, many in
 * one statement and off the path of the call. A failed write is repeated.
 */
export class LastUsedRecorder {
  readonly #dependencies: LastUsedRecorderDependencies;
  readonly #notedAt = new Map<string, number>();
  #pending = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(dependencies: LastUsedRecorderDependencies) {
    this.#dependencies = dependencies;
  }

  /** Notes a use; never throws. */
  record(id: string): void {
    const now = this.#dependencies.clock.now();
    const notedAt = this.#notedAt.get(id);
    if (notedAt !== undefined && now - notedAt < granularityMs) return;
    this.#notedAt.set(id, now);
    this.#pending.add(id);
    this.#flushIn(flushDelayMs);
  }

  /** Writes what is pending now; resolves when it is written or has failed. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  #flushIn(delayMs: number): void {
    this.#timer ??= setTimeout(() => void this.flush(), delayMs).unref();
  }

  async #write(): Promise<void> {
    const ids = [...this.#pending];
    this.#pending = new Set();
    this.#evictOld();
    if (ids.length === 0) return;
    try {
      await this.#dependencies.write(ids, new Date(this.#dependencies.clock.now()));
    } catch (error) {
      this.#dependencies.log.debug({ err: error }, "last use could not be written");
      for (const id of ids) this.#pending.add(id);
      this.#flushIn(retryDelayMs);
    }
  }

  #evictOld(): void {
    const now = this.#dependencies.clock.now();
    for (const [id, notedAt] of this.#notedAt) {
      if (now - notedAt >= granularityMs) this.#notedAt.delete(id);
    }
  }
}
