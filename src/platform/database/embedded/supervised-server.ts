import { once } from "node:events";
import { rmdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { postgresSuperuserName } from "./initialize-cluster.ts";
import {
  joinOrStartPostgres,
  type JoinedPostgres,
  type PostgresStartOptions,
} from "./join-server.ts";
import { stopPostmaster } from "./postmaster.ts";
import { applicationRoleName } from "./prepare-database.ts";
import { rotatePostgresLog } from "./server-log.ts";
import { buildPostgresSocketUrl } from "./socket-url.ts";

const logCheckMs = 60_000;
const maxRestartPauseMs = 5000;

/** A server that this process uses, and that is started again when it dies. */
export class SupervisedPostgres {
  readonly connectionString: string;
  readonly superuserConnectionString: string;
  readonly #start: PostgresStartOptions;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #logCheck: NodeJS.Timeout;
  readonly #supervision: Promise<void>;
  #joined: JoinedPostgres | undefined;

  constructor(start: PostgresStartOptions, joined: JoinedPostgres, log: Logger) {
    const { socketDirectory } = joined;
    const { password } = start;
    const user = (name: string, database: string) =>
      buildPostgresSocketUrl({ socketDirectory, user: name, password, database });
    this.connectionString = user(applicationRoleName, applicationRoleName);
    this.superuserConnectionString = user(postgresSuperuserName, "postgres");
    this.#start = start;
    this.#log = log;
    this.#logCheck = setInterval(() => void this.#boundLog(), logCheckMs).unref();
    this.#supervision = this.#supervise(joined);
  }

  async stop(): Promise<void> {
    clearInterval(this.#logCheck);
    this.#stopping.abort();
    await this.#supervision;
    const joined = this.#joined;
    this.#joined = undefined;
    // Where the session is gone the server is gone too, or others have it.
    await joined?.lease.release(() => this.#stopServer(joined)).catch(() => undefined);
  }

  async #stopServer({ socketDirectory }: JoinedPostgres): Promise<void> {
    await stopPostmaster(this.#start.location.cluster);
    // Only an empty directory goes: nothing of a server that did not stop is touched.
    await rmdir(socketDirectory).catch(() => undefined);
  }

  /** Joins again, or starts the server again, whenever our session ends. */
  async #supervise(first: JoinedPostgres): Promise<void> {
    const { signal } = this.#stopping;
    const stopped = once(signal, "abort");
    for (let joined: JoinedPostgres | undefined = first; joined !== undefined;) {
      this.#joined = joined;
      await Promise.race([joined.lease.lost, stopped]);
      if (signal.aborted) return;
      this.#joined = undefined;
      this.#log.warn("the embedded PostgreSQL is gone, starting or joining it again");
      joined = await this.#rejoin(signal);
    }
  }

  async #rejoin(signal: AbortSignal): Promise<JoinedPostgres | undefined> {
    for (let pause = 250; !signal.aborted; pause = Math.min(pause * 2, maxRestartPauseMs)) {
      try {
        return await joinOrStartPostgres(this.#start, signal);
      } catch (error) {
        if (signal.aborted) break;
        this.#log.error({ err: error }, "cannot start the embedded PostgreSQL again");
        await delay(pause, undefined, { signal }).catch(() => undefined);
      }
    }
    return undefined;
  }

  async #boundLog(): Promise<void> {
    await rotatePostgresLog(this.#start.location.home).catch((error: unknown) => {
      this.#log.warn({ err: error }, "cannot shorten the log of the embedded PostgreSQL");
    });
  }
}
