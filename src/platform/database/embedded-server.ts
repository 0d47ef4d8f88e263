import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Logger } from "pino";
import { readOrCreateFile } from "../configuration/read-or-create.ts";
import { DatabaseStartError } from "./database-start-error.ts";
import {
  preparePostgresClusterDirectory,
  type PostgresClusterPaths,
} from "./embedded/cluster-location.ts";
import {
  checkPostgresClusterVersion,
  initializePostgresCluster,
} from "./embedded/initialize-cluster.ts";
import { joinOrStartPostgres, type PostgresStartOptions } from "./embedded/join-server.ts";
import {
  locateNativePostgresPackage,
  type NativePostgresPackage,
} from "./embedded/native-package.ts";
import { pathExists } from "./embedded/path-exists.ts";
import { ensurePostgresRoleAndDatabase } from "./embedded/prepare-database.ts";
import { preparePostgresBinaries } from "./embedded/server-binaries.ts";
import { rotatePostgresLog } from "./embedded/server-log.ts";
import { SupervisedPostgres } from "./embedded/supervised-server.ts";

export interface EmbeddedPostgresDependencies {
  /** `CAUSEWAY_DATA_DIR`; made where it does not exist. */
  readonly dataDirectory: string;
  readonly log: Logger;
  /** In place of the one that npm installed, for tests. */
  readonly nativePackage?: NativePostgresPackage;
  /** In place of `/var/lib`, for tests. */
  readonly stateDirectory?: string;
  /** PostgreSQL settings over ours, for tests. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A PostgreSQL server of this machine that this process uses, perhaps with others. */
export interface EmbeddedPostgresServer {
  /** For the services: a role that owns its database and nothing else. Stays the same when the server restarts. */
  readonly connectionString: string;
  /** For tests and maintenance: the superuser, on the database `postgres`. */
  readonly superuserConnectionString: string;
  /** Leaves the server; the last one out stops it. */
  stop(): Promise<void>;
}

/**
 * Starts the embedded PostgreSQL of a data directory, or joins it where it runs
 * (another service, or a server left over from a killed process). It is reached
 * by a unix socket in a 0700 directory and by password only: where the server
 * runs under an account of its own, other programs of that account could open
 * the socket, and the password keeps them out; it proves the server to us as
 * well. A server that dies while we use it is started again.
 *
 * @throws DatabaseStartError whose message says what to do
 */
export async function startEmbeddedPostgres(
  dependencies: EmbeddedPostgresDependencies,
): Promise<EmbeddedPostgresServer> {
  const start = await prepareStart(dependencies).catch((error: unknown) => {
    throw explain(error, dependencies.dataDirectory);
  });
  const joined = await joinOrStartPostgres(start);
  const server = new SupervisedPostgres(start, joined, dependencies.log);
  try {
    await ensurePostgresRoleAndDatabase(joined.lease.client, start.password);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** Failures of the file system come as they are: a directory that cannot be written, an account that cannot be given one. */
function explain(error: unknown, dataDirectory: string): unknown {
  if (!(error instanceof Error && "syscall" in error)) return error;
  return new DatabaseStartError(
    `The embedded PostgreSQL cannot be set up in ${dataDirectory}: ${error.message}. ` +
      "Correct that, set CAUSEWAY_DATA_DIR to another directory, or set DATABASE_URL.",
    { cause: error },
  );
}

/** Everything that has to be there before a server can start: programs, cluster, password. */
async function prepareStart(
  dependencies: EmbeddedPostgresDependencies,
): Promise<PostgresStartOptions> {
  const native = dependencies.nativePackage ?? locateNativePostgresPackage();
  const location = await preparePostgresClusterDirectory(
    dependencies.dataDirectory,
    dependencies.stateDirectory,
  );
  const password = await readPassword(location);
  const binaries = await preparePostgresBinaries(
    native,
    location.account,
    location.copiesDirectory,
  );
  const settings = dependencies.settings ?? {};
  await initializePostgresCluster(location, binaries, password, settings["fsync"] !== "off");
  await checkPostgresClusterVersion(location.cluster, native.version);
  // There is none before the first start.
  await rotatePostgresLog(location.home).catch(() => undefined);
  return { location, postgres: binaries.postgres, password, settings };
}

async function readPassword({ dataDirectory, cluster }: PostgresClusterPaths): Promise<string> {
  const path = join(dataDirectory, "database-password");
  if ((await pathExists(join(cluster, "PG_VERSION"))) && !(await pathExists(path))) {
    throw new DatabaseStartError(
      `There is a database in ${cluster}, but ${path}, the password it was made with, is missing or not readable. ` +
        "Restore that file, start Causeway as the user that made it, or move the database away to begin with an empty one.",
    );
  }
  return readOrCreateFile(path, () => randomBytes(32).toString("base64url"));
}
