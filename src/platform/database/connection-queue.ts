import type { Pool, PoolClient } from "pg";
import type { Logger } from "pino";
import { setStallTolerantTimeout } from "../free-time.ts";
import {
  DatabasePoolExhaustedError,
  isDatabaseDownError,
  isDatabaseOverloadedError,
} from "./database-unavailable.ts";

export interface DatabaseConnectionQueueDependencies {
  readonly pool: Pool;
  /** Longest wait for a connection, counted while this process runs. */
  readonly limitMs: number;
  readonly log: Logger;
}

/** Connections that could not be had so far, by reason. */
export interface DatabaseConnectionFailureCounts {
  /** None was free, or none could be opened, within the limit. */
  readonly overloaded: number;
  /** The server is down or hangs. */
  readonly away: number;
}

interface Waiter {
  readonly onConnection: (client: PoolClient) => void;
  readonly onFailure: (error: unknown) => void;
  /** Absent while it is served at once. */
  endLimit: (() => void) | undefined;
  isOver: boolean;
}

/** After a server that takes no more connections, no new one is tried for this long. */
const pauseMs = 250;

/**
 * Line in front of a pool, first come, first served but for `enterFirst`. The pool's own limit is one
 * timer for everything: it fires while an answer waits in the socket, and cannot
 * tell a full pool from a server that is down.
 *
 * - A wait that takes too long ends with `DatabasePoolExhaustedError`.
 * - A server that takes no more connections makes callers wait for those that exist.
 * - `failAll` ends every wait at once, for a server that hangs.
 */
export class DatabaseConnectionQueue {
  readonly #pool: Pool;
  readonly #limitMs: number;
  readonly #log: Logger;
  readonly #open: () => Promise<PoolClient>;
  readonly #waiting: Waiter[] = [];
  readonly #failures = { overloaded: 0, away: 0 };
  /** Connections that are being opened or are in use. */
  #taken = 0;
  #pause: NodeJS.Timeout | undefined;
  #isFirst = false;
  #isClosed = false;
  #onIdle: (() => void) | undefined;
  /** Whether this overload is in the log. */
  #isLogged = false;

  /** Takes the place of the pool's `connect`. */
  constructor({ pool, limitMs, log }: DatabaseConnectionQueueDependencies) {
    this.#pool = pool;
    this.#limitMs = limitMs;
    this.#log = log;
    this.#open = pool.connect.bind(pool);
    pool.connect = this.#connect.bind(this) as Pool["connect"];
    pool.on("release", () => {
      this.#giveBack();
      // The pool takes the connection back after this event.
      process.nextTick(() => this.#serve());
    });
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get failures(): DatabaseConnectionFailureCounts {
    return this.#failures;
  }

  /** Whether a statement would have to wait. */
  get isFull(): boolean {
    return this.#waiting.length > 0 || this.#taken >= this.#pool.options.max;
  }

  /** Calls `ask`, and puts what asks the pool for a connection during that call before all that wait. */
  enterFirst<Result>(ask: () => Result): Result {
    this.#isFirst = true;
    try {
      return ask();
    } finally {
      this.#isFirst = false;
    }
  }

  failAll(error: Error): void {
    for (const waiter of this.#waiting.splice(0)) this.#fail(waiter, error);
  }

  /**
   * Refuses callers from now on. Resolves when no connection is in use: the pool must
   * not be closed while the mapper takes one of it, because it would never come back.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.failAll(closedError());
    clearTimeout(this.#pause);
    if (this.#taken === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    await promise;
  }

  /** In both forms of the pool's own: it calls the one with a callback for its `query`. */
  #connect(callback?: Parameters<Pool["connect"]>[0]): Promise<PoolClient> | undefined {
    if (callback === undefined) {
      return new Promise((resolve, reject) => this.#enter(resolve, reject));
    }
    this.#enter(
      (client) => callback(undefined, client, client.release.bind(client)),
      (error) => callback(error as Error, undefined, () => undefined),
    );
    return undefined;
  }

  #enter(onConnection: Waiter["onConnection"], onFailure: Waiter["onFailure"]): void {
    if (this.#isClosed) {
      onFailure(closedError());
      return;
    }
    const waiter: Waiter = { onConnection, onFailure, endLimit: undefined, isOver: false };
    if (this.#waiting.length === 0 && this.#canServe() && this.#pool.idleCount > 0) {
      void this.#give(waiter);
      return;
    }
    this.#limit(waiter);
    if (this.#isFirst) this.#waiting.unshift(waiter);
    else this.#waiting.push(waiter);
    this.#serve();
  }

  #limit(waiter: Waiter): void {
    waiter.endLimit ??= setStallTolerantTimeout(this.#limitMs, () => this.#giveUp(waiter));
  }

  #serve(): void {
    while (this.#canServe()) {
      const waiter = this.#waiting.shift();
      if (waiter === undefined) {
        this.#isLogged = false;
        return;
      }
      void this.#give(waiter);
    }
  }

  #canServe(): boolean {
    if (this.#taken >= this.#pool.options.max) return false;
    return this.#pause === undefined || this.#pool.idleCount > 0;
  }

  async #give(waiter: Waiter): Promise<void> {
    this.#taken += 1;
    const client = await this.#open().catch((error: unknown) => {
      this.#giveBack();
      this.#onFailedOpen(waiter, error);
      this.#serve();
    });
    if (client === undefined) return;
    waiter.endLimit?.();
    // Its limit ended while the connection was opened: the next waiter gets it.
    if (waiter.isOver) client.release();
    else waiter.onConnection(client);
  }

  #onFailedOpen(waiter: Waiter, error: unknown): void {
    if (waiter.isOver) return;
    if (this.#isClosed || !isDatabaseOverloadedError(error)) {
      this.#fail(waiter, error);
      return;
    }
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined;
      this.#serve();
    }, pauseMs);
    this.#limit(waiter);
    this.#waiting.unshift(waiter);
  }

  #giveBack(): void {
    this.#taken -= 1;
    if (this.#taken === 0) this.#onIdle?.();
  }

  #giveUp(waiter: Waiter): void {
    const place = this.#waiting.indexOf(waiter);
    if (place !== -1) this.#waiting.splice(place, 1);
    this.#logOverload();
    this.#fail(
      waiter,
      new DatabasePoolExhaustedError(`No connection became free within ${this.#limitMs} ms.`),
    );
  }

  #fail(waiter: Waiter, error: unknown): void {
    waiter.isOver = true;
    waiter.endLimit?.();
    if (error instanceof DatabasePoolExhaustedError) this.#failures.overloaded += 1;
    else if (isDatabaseDownError(error)) this.#failures.away += 1;
    waiter.onFailure(error);
  }

  /** Once for each time that callers have to wait for too long. */
  #logOverload(): void {
    if (this.#isLogged) return;
    this.#isLogged = true;
    this.#log.warn(
      { waiting: this.#waiting.length, in_use: this.#taken, limit_ms: this.#limitMs },
      "database overloaded, no free connection",
    );
  }
}

/** The words of the pool itself. */
function closedError(): Error {
  return new Error("Cannot use a pool after calling end on the pool");
}
