import { Client } from "pg";
import { dropSilentDatabaseConnection } from "../probe-server.ts";

/** Key of the advisory lock; a number of no meaning that nobody else uses. */
const lockKey = 5_027_740_213;

/** Longest silence of the server while the connection is opened. */
const connectLimitMs = 5000;

/**
 * The mark that a process uses the server: a session that holds a shared
 * advisory lock. PostgreSQL itself counts the users this way. A process that is
 * killed drops its session and with it the mark, so there are no files to go
 * stale; and of one that leaves while another joins, the lock lets either the
 * joiner in first (the server stays) or makes it wait for a session that the
 * stopping server ends (it then starts a new one).
 */
export class EmbeddedPostgresUsageLock {
  /** The session itself, for what there is to do at the start. */
  readonly client: Client;
  /** Settles when the session has ended, for whatever reason. */
  readonly lost: Promise<void>;

  private constructor(client: Client) {
    this.client = client;
    this.lost = new Promise((resolve) => {
      client.once("end", () => resolve());
    });
  }

  /** Connects and registers. Waits while the last user is stopping the server; rejects when it has stopped. */
  static async acquire(connectionString: string): Promise<EmbeddedPostgresUsageLock> {
    const client = new Client({
      connectionString,
      application_name: "causeway lease",
      keepAlive: true,
    });
    // Errors of an idle session arrive here; `end` follows and is what counts.
    client.on("error", () => undefined);
    const lease = new EmbeddedPostgresUsageLock(client);
    const endLimit = dropSilentDatabaseConnection(client, connectLimitMs);
    try {
      await client.connect().finally(endLimit);
      await client.query("select pg_advisory_lock_shared($1)", [lockKey]);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    return lease;
  }

  /** Gives the mark back. While `stopServer` runs for the last user, nobody can join. */
  async release(stopServer: () => Promise<void>): Promise<void> {
    try {
      if (await this.#isLast()) await stopServer();
    } finally {
      await this.client.end().catch(() => undefined);
    }
  }

  async #isLast(): Promise<boolean> {
    await this.client.query("select pg_advisory_unlock_shared($1)", [lockKey]);
    const { rows } = await this.client.query<{ last: boolean }>(
      "select pg_try_advisory_lock($1) as last",
      [lockKey],
    );
    return rows[0]?.last === true;
  }
}
