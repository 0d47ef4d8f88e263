import { Client } from "pg";
import {
  readReceivedDatabaseBytes,
  dropDatabaseConnection,
  dropSilentDatabaseConnection,
} from "./probe-server.ts";

export interface ReconnectingDatabaseConnectionDependencies {
  readonly connectionString: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Readies a new connection; every answer has the same limit as those of connecting. */
  readonly prepare: (client: Client) => Promise<void>;
  readonly onOpen: () => void;
  /** The connection was open and has ended, for whatever reason. */
  readonly onLost: () => void;
}

/** Longest silence of the server while a connection is opened. */
const openLimitMs = 1000;
const minPauseMs = 100;
const maxPauseMs = 1000;

/** One connection that is opened again whenever it ends, until it is closed. */
export class ReconnectingDatabaseConnection {
  readonly #dependencies: ReconnectingDatabaseConnectionDependencies;
  #attempt: Client | undefined;
  #open: Client | undefined;
  #pause = minPauseMs;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;
  /** Settles when no statement runs any more. */
  #running: Promise<void> = Promise.resolve();

  constructor(dependencies: ReconnectingDatabaseConnectionDependencies) {
    this.#dependencies = dependencies;
  }

  /** The open and prepared connection. */
  get client(): Client | undefined {
    return this.#open;
  }

  /**
   * Runs a statement when those before it have ended, because a connection takes
   * one at a time. Rejects when it is not open.
   */
  async query(text: string, values: readonly unknown[]): Promise<void> {
    const client = this.#open;
    if (client === undefined) throw new Error("The connection is not open.");
    const run = this.#running.then(() => client.query(text, [...values]));
    this.#running = run.then(ignore, ignore);
    await run;
  }

  /** Bytes that have come over the connection, 0 while there is none. */
  get bytes(): number {
    return this.#attempt === undefined ? 0 : readReceivedDatabaseBytes(this.#attempt);
  }

  /** Begins to connect. Failures are not reported: it goes on trying. */
  start(): void {
    void this.#connect();
  }

  /** Ends the connection at once, even if the server hangs; a new one follows. */
  drop(): void {
    if (this.#attempt !== undefined) dropDatabaseConnection(this.#attempt);
  }

  /** Ends the connection for good. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.drop();
  }

  async #connect(): Promise<void> {
    const { connectionString, applicationName, prepare, onOpen } = this.#dependencies;
    const client = new Client({
      connectionString,
      application_name: applicationName,
      keepAlive: true,
    });
    client.on("error", () => undefined);
    client.once("end", () => this.#onEnd(client));
    this.#attempt = client;
    const endLimit = dropSilentDatabaseConnection(client, openLimitMs);
    try {
      await client.connect();
      await prepare(client);
      this.#open = client;
      this.#pause = minPauseMs;
      onOpen();
    } catch {
      dropDatabaseConnection(client);
    } finally {
      endLimit();
    }
  }

  /** Comes exactly once for each client, whether it ever connected or not. */
  #onEnd(client: Client): void {
    const wasOpen = this.#open === client;
    this.#open = undefined;
    if (this.#closed) return;
    this.#retry = setTimeout(() => void this.#connect(), this.#pause);
    this.#pause = Math.min(this.#pause * 2, maxPauseMs);
    if (wasOpen) this.#dependencies.onLost();
  }
}

function ignore(): void {}
