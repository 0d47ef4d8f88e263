import type { Client, Pool } from "pg";
import {
  readReceivedDatabaseBytes,
  dropDatabaseConnection,
  probeDatabaseServer,
} from "./probe-server.ts";

const checkMs = 250;

/** A connection that is busy while nothing comes over any for longer than this makes us ask the server. */
const suspiciousMs = 750;

const probeLimitMs = 1000;

/**
 * Notices a database that hangs without closing its connections (a host that
 * vanished, a frozen process) within two seconds. A limit on each statement
 * could not tell that from a slow statement; so when one takes long, the server
 * is asked over a new connection. If nothing comes over that one nor over any of
 * the pool, every connection of the pool is dropped, which fails the statements in
 * flight. A server that answers slowly, or a process that reads slowly, is not
 * taken for one that hangs.
 */
export class DatabaseStallGuard {
  readonly #connectionString: string;
  readonly #onStall: () => void;
  readonly #connections = new Set<Client>();
  /** Connections that are being opened or are in use. */
  readonly #busySince = new Map<Client, number>();
  /** Bytes of connections that have ended. */
  #bytesOfEnded = 0;
  #lastBytes = 0;
  #lastHeard = performance.now();
  #checking = false;

  /** @param onStall - called before the connections are dropped */
  constructor(connectionString: string, onStall: () => void) {
    this.#connectionString = connectionString;
    this.#onStall = onStall;
  }

  /** Watches a connection from before it is opened until it has ended. */
  watch(client: Client): void {
    this.#connections.add(client);
    this.#busySince.set(client, performance.now());
    client.once("end", () => this.#forget(client));
  }

  /** Starts checking. Returns a function that ends it. */
  start(pool: Pool): () => void {
    pool.on("acquire", (client) => this.#busySince.set(client, performance.now()));
    pool.on("release", (_error, client) => this.#busySince.delete(client));
    const timer = setInterval(() => void this.#check(), checkMs).unref();
    return () => clearInterval(timer);
  }

  async #check(): Promise<void> {
    if (this.#checking || !this.#isSuspicious()) return;
    this.#checking = true;
    try {
      const answer = await probeDatabaseServer(this.#connectionString, probeLimitMs, () =>
        this.#bytes(),
      );
      if (answer === "silent") this.#dropAll();
    } finally {
      this.#checking = false;
    }
  }

  #isSuspicious(): boolean {
    const now = performance.now();
    const bytes = this.#bytes();
    if (bytes !== this.#lastBytes) this.#lastHeard = now;
    this.#lastBytes = bytes;
    const limit = now - suspiciousMs;
    if (this.#lastHeard > limit) return false;
    return [...this.#busySince.values()].some((since) => since < limit);
  }

  /** What has come from the server over all connections; only grows. */
  #bytes(): number {
    let sum = this.#bytesOfEnded;
    for (const client of this.#connections) sum += readReceivedDatabaseBytes(client);
    return sum;
  }

  #forget(client: Client): void {
    if (this.#connections.delete(client)) this.#bytesOfEnded += readReceivedDatabaseBytes(client);
    this.#busySince.delete(client);
  }

  #dropAll(): void {
    this.#onStall();
    for (const client of this.#connections) dropDatabaseConnection(client);
  }
}
