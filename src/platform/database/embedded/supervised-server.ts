import { once } from "node:events";
import { rmdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { superuserName } from "./initialize-cluster.ts";
import { joinOrStartServer, type JoinedServer, type ServerStartOptions } from "./join-server.ts";
import { stopPostmaster } from "./postmaster.ts";
import { applicationRoleName } from "./prepare-database.ts";
import { rotateServerLog } from "./server-log.ts";
import { buildSocketConnectionString } from "./socket-url.ts";

const logCheckMs = 60_000;
const maxRestartPauseMs = 5000;

/** A server that this process uses, and that is started again when it dies. */
export class SupervisedServer {
  readonly connectionString: string;
  readonly superuserConnectionString: string;
  readonly #start: ServerStartOptions;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #logCheck: NodeJS.Timeout;
  readonly #supervision: Promise<void>;
  #joined: JoinedServer | undefined;

  constructor(start: ServerStartOptions, joined: JoinedServer, log: Logger) {
    const { socketDirectory } = joined;
    const { password } = start;
    const user = (name: string, database: string) =>
      buildSocketConnectionString({ socketDirectory, user: name, password, database });
    this.connectionString = user(applicationRoleName, applicationRoleName);
    this.superuserConnectionString = user(superuserName, "postgres");
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

  async #stopServer({ socketDirectory }: JoinedServer): Promise<void> {
    await stopPostmaster(this.#start.location.cluster);
    // Only an empty directory goes: nothing of a server that did not stop is touched.
    await rmdir(socketDirectory).catch(() => undefined);
  }

  /** Joins again, or starts the server again, whenever our session ends. */
  async #supervise(first: JoinedServer): Promise<void> {
    const { signal } = this.#stopping;
    const stopped = once(signal, "abort");
    for (let joined: JoinedServer | undefined = first; joined !== undefined;) {
      this.#joined = joined;
      await Promise.race([joined.lease.lost, stopped]);
      if (signal.aborted) return;
      this.#joined = undefined;
      this.#log.warn("the embedded PostgreSQL is gone, starting or joining it again");
      joined = await this.#rejoin(signal);
    }
  }

  async #rejoin(signal: AbortSignal): Promise<JoinedServer | undefined> {
    for (let pause = 250; !signal.aborted; pause = Math.min(pause * 2, maxRestartPauseMs)) {
      try {
        return await joinOrStartServer(this.#start, signal);
      } catch (error) {
        if (signal.aborted) break;
        this.#log.error({ err: error }, "cannot start the embedded PostgreSQL again");
        await delay(pause, undefined, { signal }).catch(() => undefined);
      }
    }
    return undefined;
  }

  async #boundLog(): Promise<void> {
    await rotateServerLog(this.#start.location.home).catch((error: unknown) => {
      this.#log.warn({ err: error }, "cannot shorten the log of the embedded PostgreSQL");
    });
  }
}
