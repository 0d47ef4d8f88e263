import type { Logger } from "../../log.ts";
import { failureText } from "./failure-text.ts";
import type { RedisSession } from "./redis-session.ts";

export interface KeptSessionDependencies {
  /** Opens a session and finds out that it serves; `onLost` hears when it ends. */
  readonly open: (onLost: (error: unknown) => void) => Promise<RedisSession>;
  readonly log: Logger;
  readonly shortestPauseMs: number;
  readonly longestPauseMs: number;
}

/**
 * A session with Redis that is opened again after it has ended, with growing
 * pauses. An outage is logged once when it begins and once when it is over,
 * however often connecting is tried meanwhile.
 */
export class KeptSession {
  readonly #dependencies: KeptSessionDependencies;
  #current: RedisSession | undefined;
  #openedAt = 0;
  #pauseMs: number;
  #retry: NodeJS.Timeout | undefined;
  #isAway = false;
  #isClosed = false;

  constructor(dependencies: KeptSessionDependencies) {
    this.#dependencies = dependencies;
    this.#pauseMs = dependencies.shortestPauseMs;
  }

  /** The session, while there is one. */
  get current(): RedisSession | undefined {
    return this.#current;
  }

  /** Connects; resolves when the first attempt is over, whatever became of it. */
  start(): Promise<void> {
    return this.#connect();
  }

  /** Ends a session that does not serve, because of `error`; another one follows after a pause. */
  fail(session: RedisSession, error: unknown): void {
    if (session !== this.#current) return;
    this.#current = undefined;
    session.end();
    // One that breaks soon after it was opened shall not be opened many times a second.
    const hasServed = performance.now() - this.#openedAt > this.#dependencies.longestPauseMs;
    if (hasServed) this.#pauseMs = this.#dependencies.shortestPauseMs;
    this.#goAway(error);
  }

  /** Ends the session for good. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#current?.end();
    this.#current = undefined;
  }

  async #connect(): Promise<void> {
    let session: RedisSession | undefined;
    try {
      session = await this.#dependencies.open((error) => {
        if (session !== undefined) this.fail(session, error);
      });
    } catch (error) {
      this.#goAway(error);
      return;
    }
    if (this.#isClosed) session.end();
    else this.#comeBack(session);
  }

  #comeBack(session: RedisSession): void {
    this.#current = session;
    this.#openedAt = performance.now();
    if (this.#isAway)
      this.#dependencies.log.info("Redis is back: machines share request buckets again");
    this.#isAway = false;
  }

  #goAway(error: unknown): void {
    if (this.#isClosed) return;
    const { log, longestPauseMs } = this.#dependencies;
    const reason = failureText(error);
    if (this.#isAway) log.debug({ reason }, "Redis is still away");
    else log.warn({ reason }, "Redis is away: this process counts requests by itself");
    this.#isAway = true;
    // Not all processes at once.
    const pauseMs = this.#pauseMs * (0.75 + Math.random() / 2);
    this.#retry = setTimeout(() => void this.#connect(), pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
  }
}
