import type { Client, Pool } from "pg";
import { dropConnection, probeServer } from "./probe-server.ts";

const checkMs = 250;

/** A connection in use for longer than this makes us look whether the server still answers. */
const suspiciousMs = 750;

const probeLimitMs = 1000;

/**
 * Notices a database that hangs without closing its connections (a host that
 * vanished, a frozen process) within two seconds. A limit on each statement
 * could not tell that from a slow statement; so when one takes long, the server
 * is asked over a new connection, and if it does not answer, every connection
 * of the pool is dropped, which fails the statements in flight.
 *
 * @returns a function that ends the watching
 */
export function guardAgainstStalls(
  pool: Pool,
  connectionString: string,
  onStall: () => void,
): () => void {
  const guard = new StallGuard(pool, connectionString, onStall);
  const timer = setInterval(() => void guard.check(), checkMs).unref();
  return () => clearInterval(timer);
}

class StallGuard {
  readonly #connectionString: string;
  readonly #onStall: () => void;
  readonly #connections = new Set<Client>();
  readonly #inUseSince = new Map<Client, number>();
  #checking = false;

  constructor(pool: Pool, connectionString: string, onStall: () => void) {
    this.#connectionString = connectionString;
    this.#onStall = onStall;
    pool.on("acquire", (client) => {
      this.#connections.add(client);
      this.#inUseSince.set(client, Date.now());
    });
    pool.on("release", (_error, client) => this.#inUseSince.delete(client));
    pool.on("remove", (client) => {
      this.#connections.delete(client);
      this.#inUseSince.delete(client);
    });
  }

  async check(): Promise<void> {
    if (this.#checking || !this.#isSuspicious()) return;
    this.#checking = true;
    const answer = await probeServer(this.#connectionString, probeLimitMs);
    if (answer === "silent") this.#dropAll();
    this.#checking = false;
  }

  #isSuspicious(): boolean {
    const limit = Date.now() - suspiciousMs;
    return [...this.#inUseSince.values()].some((since) => since < limit);
  }

  #dropAll(): void {
    this.#onStall();
    for (const client of this.#connections) dropConnection(client);
  }
}
