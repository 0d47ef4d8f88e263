import type { MigrationObject } from "@mikro-orm/postgresql";
import { Client } from "pg";
import type { Logger } from "pino";
import { checkDatabaseServer } from "./check-server.ts";
import { DatabaseStartError } from "./database-start-error.ts";
import { migrationTableName } from "./orm-options.ts";

/** A migration of this release, whose code is loaded when it has to run. */
export interface LazilyLoadedMigration {
  /** Never changes once released. */
  readonly name: string;
  load(): Promise<MigrationObject["class"]>;
}

export interface MigrateDependencies {
  readonly connectionString: string;
  /** All migrations of this release, oldest first. */
  readonly migrations: readonly LazilyLoadedMigration[];
  /** Of the embedded server, which is known to carry us: it is not checked, 30 ms of a start. False if omitted. */
  readonly isEmbedded?: boolean;
  readonly log: Logger;
}

/** Key of the advisory lock that one migrating process holds. */
const lockKey = 5_027_740_215;

/** SQLSTATEs. */
const lockNotAvailable = "55P03";
const insufficientPrivilege = "42501";
const duplicateSchema = "42P06";

/** How long to wait for another process that migrates. */
const lockWait = "5min";

/**
 * Makes sure that the server can carry Causeway (`checkDatabaseServer`), then brings the
 * database's schema up to this release: runs what is pending, each
 * migration in a transaction of its own. Any number of processes may start at
 * once; one migrates, the others wait and find nothing left to do.
 *
 * @returns names of the migrations that ran now
 * @throws DatabaseStartError when the server cannot be used, or a newer release
 * has migrated the database
 */
export async function migrateDatabase(dependencies: MigrateDependencies): Promise<string[]> {
  const { connectionString, migrations } = dependencies;
  if (dependencies.isEmbedded !== true) await checkDatabaseServer(connectionString);
  const lock = new Client({
    connectionString,
    application_name: "causeway migrate",
  });
  // The loss of the lock shows in the migration, whose connection ends for the same reason.
  lock.on("error", () => undefined);
  await lock.connect();
  try {
    await takeLock(lock);
    const executed = await executedMigrations(lock);
    rejectNewer(executed, migrations);
    // Most starts end here, without the 30 ms of the migrator's and the migrations' code.
    if (executed.length === migrations.length) return [];
    const { runPendingMigrations } = await import("./run-migrations.ts");
    return await runPendingMigrations(dependencies).catch((error: unknown) => {
      throw explain(error);
    });
  } finally {
    await lock.end();
  }
}

async function takeLock(lock: Client): Promise<void> {
  await lock.query(`set lock_timeout = '${lockWait}'`);
  try {
    await lock.query("select pg_advisory_lock($1)", [lockKey]);
  } catch (error) {
    if (!hasCode(error, lockNotAvailable)) throw error;
    throw new DatabaseStartError(
      `Another process has been migrating the database for more than ${lockWait}. End it, then start again.`,
      { cause: error },
    );
  }
}

/** Names in the migrator's table, which a new database does not have. */
async function executedMigrations(client: Client): Promise<string[]> {
  const found = await client.query<{ isThere: boolean }>(
    `select to_regclass('${migrationTableName}') is not null as "isThere"`,
  );
  if (found.rows[0]?.isThere !== true) return [];
  const executed = await client.query<{ name: string }>(`select name from ${migrationTableName}`);
  return executed.rows.map(({ name }) => name);
}

function hasCode(error: unknown, code: string): error is Error {
  return error instanceof Error && "code" in error && error.code === code;
}

function explain(error: unknown): unknown {
  if (hasCode(error, insufficientPrivilege)) return mayNotCreate(error);
  return hasCode(error, duplicateSchema) ? schemaIsTaken(error) : error;
}

/** Since PostgreSQL 15 only its owner may create tables in a database's schema `public`. */
function mayNotCreate(error: Error): DatabaseStartError {
  return new DatabaseStartError(
    `The role of DATABASE_URL may not migrate the database: ${error.message}. ` +
      "Make it the owner of the database, or grant it the rights to create schemas in the database and tables in the schema public.",
    { cause: error },
  );
}

function schemaIsTaken(error: Error): DatabaseStartError {
  return new DatabaseStartError(
    `The database of DATABASE_URL has a schema that Causeway makes for itself: ${error.message}. ` +
      "Give Causeway a database of its own, or rename that schema.",
    { cause: error },
  );
}

/** Going on would write rows that the newer release does not understand. */
function rejectNewer(
  executed: readonly string[],
  migrations: readonly LazilyLoadedMigration[],
): void {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = executed.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new DatabaseStartError(
    `The database was migrated by a newer release of Causeway (${unknown.join(", ")}). ` +
      "Start that release, or restore a backup from before it.",
  );
}
