import { randomUUID } from "node:crypto";
import type { Notification } from "pg";
import type { Logger } from "pino";
import { setStallTolerantTimeout } from "../free-time.ts";
import { parseChangedTableRow, type ChangedTableRow } from "./change.ts";
import { ReconnectingDatabaseConnection } from "./persistent-connection.ts";

/**
 * How far caches may be trusted:
 *
 * - `live`: every change arrives.
 * - `silent`: the database answers, but changes do not arrive. Read the database
 *   at each use.
 * - `down`: the database does not answer. Nobody can change anything there, so
 *   what is cached may be used on for a while (docs/contract.md#when-the-database-is-away).
 */
export type DatabaseChangeFeedState = "live" | "silent" | "down";

export interface ChangeFeedDependencies {
  readonly connectionString: string;
  readonly log: Logger;
}

const changeChannel = "causeway_change";
const heartbeatChannel = "causeway_heartbeat";
const heartbeatMs = 500;
/** Without a heartbeat for this long the feed is no longer trusted. */
const trustMs = 2000;
const answerMs = 1000;
const settleMs = 100;
const startMs = 10_000;
/** Heartbeats that the database took and that did not come back: so many prove a dead listener. */
const unreturnedBeats = trustMs / heartbeatMs;
/** Nobody waits longer than this for the changes of another. */
const markMs = 1000;

/**
 * Hears of changes in cached tables (LISTEN), and knows when it does not. A
 * listening connection can be half dead: open, but nothing arrives. So every
 * process sends itself a heartbeat, over a second connection, twice a second:
 * its coming back proves the listener, its being sent proves the database.
 *
 * A read of the database that was begun before a change or a reset and ends
 * after it may be old: do not cache it.
 */
export class DatabaseChangeFeed {
  readonly #log: Logger;
  readonly #ownId = randomUUID();
  readonly #listener: ReconnectingDatabaseConnection;
  readonly #heartbeatTimer: ReconnectingDatabaseConnection;
  readonly #changeListeners = new Map<string, ((change: ChangedTableRow) => void)[]>();
  readonly #resetListeners: (() => void)[] = [];
  readonly #downListeners: (() => void)[] = [];
  readonly #firstHeartbeat = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;
  #question: NodeJS.Timeout | undefined;
  #state: DatabaseChangeFeedState = "down";
  #wasLive = false;
  #lastHeartbeat = Number.NEGATIVE_INFINITY;
  /** Heartbeats that the database has taken since the last one came back. */
  #unreturned = 0;
  /** An answer to a question of before this time says nothing about the loss of the listener. */
  #conclusiveFrom = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;
  /** Who waits for a mark to come back. */
  readonly #marks = new Map<string, () => void>();

  constructor({ connectionString, log }: ChangeFeedDependencies) {
    this.#log = log;
    this.#listener = new ReconnectingDatabaseConnection({
      connectionString,
      applicationName: "causeway listener",
      prepare: async (client) => {
        // From here on a heartbeat proves this connection, even one that comes before it counts as open.
        this.#lastHeartbeat = Number.NEGATIVE_INFINITY;
        client.on("notification", (notification) => this.#onNotification(notification));
        await client.query(
          `set idle_session_timeout = 0; listen ${changeChannel}; listen ${heartbeatChannel}`,
        );
      },
      onOpen: () => this.#onListening(),
      onLost: () => this.#onListenerLost(),
    });
    this.#heartbeatTimer = new ReconnectingDatabaseConnection({
      connectionString,
      applicationName: "causeway heartbeat",
      prepare: async (client) => {
        await client.query("set idle_session_timeout = 0");
      },
      onOpen: () => void this.#askDatabase(),
      onLost: () => undefined,
    });
  }

  /** Calls the listener at every change in the table, this process's own included. */
  on(table: string, listener: (change: ChangedTableRow) => void): void {
    const listeners = this.#changeListeners.get(table) ?? [];
    this.#changeListeners.set(table, [...listeners, listener]);
  }

  /** Calls the listener when changes may have been missed: drop everything cached. */
  onReset(listener: () => void): void {
    this.#resetListeners.push(listener);
  }

  /** Calls the listener when the state becomes `down`: from now on nothing confirms what is cached. */
  onDown(listener: () => void): void {
    this.#downListeners.push(listener);
  }

  /** Follows what it describes within half a second. */
  get state(): DatabaseChangeFeedState {
    return this.#state;
  }

  /** Whether caches may be used without asking the database: a heartbeat came within two seconds. */
  get trusted(): boolean {
    return this.#state === "live" && this.#isHeartbeatFresh();
  }

  /** Resolves with the first heartbeat; rejects when none comes within ten seconds. */
  async start(): Promise<void> {
    this.#listener.start();
    this.#heartbeatTimer.start();
    this.#timer = setInterval(() => void this.#askDatabase(), heartbeatMs);
    const endLimit = setStallTolerantTimeout(startMs, () => {
      this.#firstHeartbeat.reject(
        new Error("No notification of the database arrived within ten seconds."),
      );
    });
    await this.#firstHeartbeat.promise.finally(endLimit);
  }

  /**
   * Resolves when every change that was committed before the call has been told to
   * the listeners: notifications arrive in the order of their commits, so a mark
   * that comes back was the last. At once when the feed is not trusted, because
   * then nothing is used without a look at the database.
   */
  async waitUntilCaughtUp(): Promise<void> {
    if (!this.trusted || this.#heartbeatTimer.client === undefined) return;
    const mark = randomUUID();
    const { promise, resolve } = Promise.withResolvers<void>();
    const endLimit = setStallTolerantTimeout(markMs, resolve);
    this.#marks.set(mark, resolve);
    this.#heartbeatTimer.query("select pg_notify($1, $2)", [heartbeatChannel, mark]).catch(resolve);
    await promise;
    endLimit();
    this.#marks.delete(mark);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#question);
    this.#listener.close();
    this.#heartbeatTimer.close();
    await this.#asking;
  }

  #onListening(): void {
    this.#unreturned = 0;
    // What changed while nobody listened was missed.
    this.#reset();
    void this.#askDatabase();
  }

  /** Was it the listener alone, or the whole server? Asked a moment later, when a server that stops has stopped. */
  #onListenerLost(): void {
    this.#conclusiveFrom = performance.now() + settleMs;
    this.#question = setTimeout(() => void this.#askDatabase(), settleMs);
  }

  #onNotification({ channel, payload = "" }: Notification): void {
    if (channel === heartbeatChannel) this.#onHeartbeat(payload);
    else this.#onChange(payload);
  }

  #onHeartbeat(sender: string): void {
    this.#marks.get(sender)?.();
    if (sender !== this.#ownId) return;
    this.#lastHeartbeat = performance.now();
    this.#unreturned = 0;
    this.#become("live");
    this.#firstHeartbeat.resolve();
  }

  #onChange(payload: string): void {
    const change = parseChangedTableRow(payload);
    if (change === undefined) this.#log.warn({ payload }, "not a notification of ours");
    else this.#notifyListeners(this.#changeListeners.get(change.table) ?? [], change);
  }

  /** Sends a heartbeat; whether that works decides between `silent` and `down`. One at a time. */
  async #askDatabase(): Promise<void> {
    const began = performance.now();
    this.#asking ??= this.#sendHeartbeat()
      .then((answered) => this.#updateState(answered, began))
      .finally(() => {
        this.#asking = undefined;
      });
    await this.#asking;
  }

  async #sendHeartbeat(): Promise<boolean> {
    // When the server has no connection left for the second one, the first still tells that it answers.
    const sender =
      this.#heartbeatTimer.client === undefined ? this.#listener : this.#heartbeatTimer;
    const endLimit = setStallTolerantTimeout(
      answerMs,
      () => sender.drop(),
      () => sender.bytes,
    );
    try {
      await sender.query("select pg_notify($1, $2)", [heartbeatChannel, this.#ownId]);
      return true;
    } catch {
      return false;
    } finally {
      endLimit();
    }
  }

  /**
   * A heartbeat that is late while this process or the machine is busy proves
   * nothing: only heartbeats that the database took and that did not come back do.
   * Until then caches are not trusted, but nothing was missed.
   */
  #updateState(answered: boolean, began: number): void {
    if (answered) this.#unreturned += 1;
    const isOpen = this.#listener.client !== undefined;
    if (isOpen && this.#isHeartbeatFresh()) return;
    if (!answered) {
      this.#become("down");
      return;
    }
    if (began < this.#conclusiveFrom) return;
    const isHalfDead = this.#unreturned > unreturnedBeats;
    if (!isOpen || isHalfDead || this.#state === "down") this.#become("silent");
    if (isOpen && isHalfDead) this.#listener.drop();
  }

  #isHeartbeatFresh(): boolean {
    return performance.now() - this.#lastHeartbeat < trustMs;
  }

  #become(state: DatabaseChangeFeedState): void {
    if (state === this.#state) return;
    // While the two connections are opened, one is before the other: nothing to warn of.
    const isNews = state === "live" || this.#wasLive;
    if (isNews) this.#log[levelOf(state)]({ from: this.#state, to: state }, "change feed");
    this.#wasLive ||= state === "live";
    this.#state = state;
    if (state === "silent") this.#reset();
    if (state === "down") this.#notifyListeners(this.#downListeners, undefined);
  }

  #reset(): void {
    this.#notifyListeners(this.#resetListeners, undefined);
  }

  /** A listener that throws must not keep the others from hearing. */
  #notifyListeners<Message>(
    listeners: readonly ((message: Message) => void)[],
    message: Message,
  ): void {
    for (const listener of listeners) {
      try {
        listener(message);
      } catch (error) {
        this.#log.error({ err: error }, "a listener of the change feed failed");
      }
    }
  }
}

function levelOf(state: DatabaseChangeFeedState): "info" | "warn" {
  return state === "live" ? "info" : "warn";
}
