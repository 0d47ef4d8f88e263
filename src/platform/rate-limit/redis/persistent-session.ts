import type { Logger } from "../../log.ts";
import { describeRedisError } from "./failure-text.ts";
import type { RedisConnection } from "./redis-session.ts";

export interface ReconnectingRedisConnectionDependencies {
  /** Opens a session and finds out that it serves; `onLost` hears when it ends. */
  readonly open: (onLost: (error: unknown) => void) => Promise<RedisConnection>;
  readonly log: Logger;
  readonly minPauseMs: number;
  readonly maxPauseMs: number;
}

/**
 * A session with Redis that is opened again after it has ended, with growing
 * pauses. An outage is logged once when it begins and once when it is over,
 * however often connecting is tried meanwhile.
 */
export class ReconnectingRedisConnection {
  readonly #dependencies: ReconnectingRedisConnectionDependencies;
  #current: RedisConnection | undefined;
  #openedAt = 0;
  #pauseMs: number;
  #retry: NodeJS.Timeout | undefined;
  #isDown = false;
  #isClosed = false;

  constructor(dependencies: ReconnectingRedisConnectionDependencies) {
    this.#dependencies = dependencies;
    this.#pauseMs = dependencies.minPauseMs;
  }

  /** The session, while there is one. */
  get current(): RedisConnection | undefined {
    return this.#current;
  }

  /** Connects; resolves when the first attempt is over, whatever became of it. */
  start(): Promise<void> {
    return this.#connect();
  }

  /** Ends a session that does not serve, because of `error`; another one follows after a pause. */
  fail(session: RedisConnection, error: unknown): void {
    if (session !== this.#current) return;
    this.#current = undefined;
    session.end();
    // One that breaks soon after it was opened shall not be opened many times a second.
    const hasServed = performance.now() - this.#openedAt > this.#dependencies.maxPauseMs;
    if (hasServed) this.#pauseMs = this.#dependencies.minPauseMs;
    this.#onDisconnected(error);
  }

  /** Ends the session for good. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#current?.end();
    this.#current = undefined;
  }

  async #connect(): Promise<void> {
    let session: RedisConnection | undefined;
    try {
      session = await this.#dependencies.open((error) => {
        if (session !== undefined) this.fail(session, error);
      });
    } catch (error) {
      this.#onDisconnected(error);
      return;
    }
    if (this.#isClosed) session.end();
    else this.#onReconnected(session);
  }

  #onReconnected(session: RedisConnection): void {
    this.#current = session;
    this.#openedAt = performance.now();
    if (this.#isDown)
      this.#dependencies.log.info("Redis is back: machines share request buckets again");
    this.#isDown = false;
  }

  #onDisconnected(error: unknown): void {
    if (this.#isClosed) return;
    const { log, maxPauseMs: longestPauseMs } = this.#dependencies;
    const reason = describeRedisError(error);
    if (this.#isDown) log.debug({ reason }, "Redis is still away");
    else log.warn({ reason }, "Redis is away: this process counts requests by itself");
    this.#isDown = true;
    // Not all processes at once.
    const pauseMs = this.#pauseMs * (0.75 + Math.random() / 2);
    this.#retry = setTimeout(() => void this.#connect(), pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
  }
}
