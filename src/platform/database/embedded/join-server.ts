import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { DatabaseStartError } from "../database-start-error.ts";
import type { PostgresClusterPaths } from "./cluster-location.ts";
import { postgresSuperuserName } from "./initialize-cluster.ts";
import { spawnPostmaster } from "./postmaster.ts";
import {
  isPostmasterRunning,
  processExists,
  readPostmasterFile,
  removeStalePostmasterFile,
  type PostmasterFile,
} from "./postmaster-file.ts";
import { EmbeddedPostgresUsageLock } from "./server-lease.ts";
import { postgresLogSize, readPostgresLogTailSince } from "./server-log.ts";
import { preparePostgresSocketDirectory } from "./socket-directory.ts";
import { buildPostgresSocketUrl } from "./socket-url.ts";

/** What it takes to find or start the server of a cluster. */
export interface PostgresStartOptions {
  readonly location: PostgresClusterPaths;
  /** Path of the program. */
  readonly postgres: string;
  readonly password: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** A server that this process uses. */
export interface JoinedPostgres {
  readonly lease: EmbeddedPostgresUsageLock;
  readonly socketDirectory: string;
}

/** Recovery after a crash can take a while; a server that is not ready by then never will be. */
const startMs = 120_000;

/** Backends of a killed server end by themselves soon after; until then no new one can start. */
const orphanTimeoutMs = 15_000;

/**
 * Joins the server of the cluster, whoever started it, or starts it. Safe
 * against others that start, stop or join at the same time: whatever happens
 * between two looks, the next look sees it.
 *
 * @param signal - aborts the waiting, but not for a server that was started here:
 * it would be left running, with nobody who uses it
 * @throws DatabaseStartError with the end of the server's log when it does not start
 */
export async function joinOrStartPostgres(
  start: PostgresStartOptions,
  signal?: AbortSignal,
): Promise<JoinedPostgres> {
  const attempt = new JoinAttempt(start);
  const deadline = Date.now() + startMs;
  while (Date.now() < deadline) {
    const joined = await attempt.next();
    if (joined !== undefined) return joined;
    if (!attempt.isStarting) signal?.throwIfAborted();
    await delay(10);
  }
  throw await attempt.failure("it is not ready after two minutes");
}

class JoinAttempt {
  readonly #start: PostgresStartOptions;
  readonly #began = Date.now();
  #child: ChildProcess | undefined;
  #logStart = 0;

  constructor(start: PostgresStartOptions) {
    this.#start = start;
  }

  /** A server that was started here runs. */
  get isStarting(): boolean {
    return this.#child !== undefined && isRunning(this.#child);
  }

  /** One look at the cluster and one step further. */
  async next(): Promise<JoinedPostgres | undefined> {
    const file = await readPostmasterFile(this.#start.location.cluster);
    if (file !== undefined && isPostmasterRunning(file))
      return file.status === "ready" ? this.#join(file) : undefined;
    if (this.isStarting) return undefined;
    if (this.#child !== undefined) await this.#judgeExit();
    if (file !== undefined && processExists(file.pid))
      await removeStalePostmasterFile(this.#start.location.cluster, file);
    await this.#spawn();
    return undefined;
  }

  async failure(reason: string): Promise<DatabaseStartError> {
    const { home } = this.#start.location;
    const end = await readPostgresLogTailSince(home, this.#logStart).catch(() => "");
    return new DatabaseStartError(
      `The embedded PostgreSQL in ${home} does not start: ${reason}. Its log (${home}/server.log) ends with:\n${end}`,
    );
  }

  async #spawn(): Promise<void> {
    const { location, postgres, settings } = this.#start;
    this.#logStart = await postgresLogSize(location.home);
    const socketDirectory = await preparePostgresSocketDirectory(location);
    this.#child = await spawnPostmaster(location, postgres, socketDirectory, settings);
  }

  /** Decides whether starting again makes sense after our own server ended at once. */
  async #judgeExit(): Promise<void> {
    const log = await readPostgresLogTailSince(this.#start.location.home, this.#logStart);
    const raced = log.includes("lock file");
    const orphans = log.includes("pre-existing shared memory block");
    if ((raced || orphans) && Date.now() - this.#began < orphanTimeoutMs) await delay(100);
    else throw await this.failure(`it ended with exit code ${this.#child?.exitCode ?? "none"}`);
  }

  async #join(file: PostmasterFile): Promise<JoinedPostgres | undefined> {
    const { socketDirectory } = file;
    const { password } = this.#start;
    const connectionString = buildPostgresSocketUrl({
      socketDirectory,
      user: postgresSuperuserName,
      password,
      database: "postgres",
    });
    try {
      return { lease: await EmbeddedPostgresUsageLock.acquire(connectionString), socketDirectory };
    } catch (error) {
      if (isWrongPassword(error))
        throw await this.failure(
          "the file database-password in the data directory does not fit it",
        );
      // It stopped between the look and the connection: look again.
      return undefined;
    }
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function isWrongPassword(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "28P01";
}
