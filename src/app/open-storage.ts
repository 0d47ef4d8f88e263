import { checkMasterKey } from "../account/sealed-settings.ts";
import type { Clock } from "../platform/clock.ts";
import type { Configuration } from "../platform/configuration/configuration.ts";
import { loadInstanceSecrets } from "../platform/configuration/instance-secrets.ts";
import { SecretBox } from "../platform/crypto/secret-box.ts";
import { planDatabaseConnections } from "../platform/database/connection-plan.ts";
import { openMigratedDatabase, type Database } from "../platform/database/database.ts";
import { migrateDatabase } from "../platform/database/migrate.ts";
import type { StatementTextObserver } from "../platform/database/orm-logger.ts";
import type { Logger } from "../platform/log.ts";
import { CleanupStack } from "./cleanup-stack.ts";
import { databaseEntities } from "./entities.ts";
import { migrations } from "./migrations/index.ts";
import {
  openExternalOrEmbeddedPostgres,
  type DatabaseServerHandle,
} from "./start/open-database-server.ts";

/** The database of an instance, migrated, and what opens the secrets in it. */
export interface DatabaseWithSecretBox {
  readonly database: Database;
  readonly box: SecretBox;
  /** Undefined: the operator API is off. */
  readonly adminToken: string | undefined;
  /** Closes the connections and leaves the embedded server. */
  close(): Promise<void>;
}

export interface DatabaseStorageDependencies {
  readonly configuration: Configuration;
  readonly log: Logger;
  readonly clock: Clock;
  /** Where a start has begun to reach it already. */
  readonly database?: Promise<DatabaseServerHandle>;
  /** Processes of this server, which share the database's connections; 1 if omitted. */
  readonly processes?: number;
  /** Lets tests count statements. */
  readonly statementObserver?: StatementTextObserver | undefined;
}

/**
 * Opens `DATABASE_URL` or the embedded server, runs the pending migrations and
 * checks the master key. What was opened is closed again when a step fails.
 */
export async function openDatabaseStorage(
  dependencies: DatabaseStorageDependencies,
): Promise<DatabaseWithSecretBox> {
  const closers = new CleanupStack();
  try {
    return await open(dependencies, closers);
  } catch (error) {
    await closers.closeAfterFailure(dependencies.log);
    throw error;
  }
}

async function open(
  dependencies: DatabaseStorageDependencies,
  closers: CleanupStack,
): Promise<DatabaseWithSecretBox> {
  const { configuration, log, clock } = dependencies;
  const { secretKeys, adminToken } = loadInstanceSecrets(configuration);
  const reached = await (dependencies.database ??
    openExternalOrEmbeddedPostgres(configuration, log));
  closers.add(() => reached.stop());
  const database = await openMigrated(reached.connectionString, dependencies);
  closers.add(() => database.close());
  const box = new SecretBox(secretKeys);
  await checkMasterKey(database.fork(), box, clock);
  return { database, box, adminToken, close: () => closers.closeAll() };
}

async function openMigrated(
  connectionString: string,
  { configuration, log, processes = 1, statementObserver }: DatabaseStorageDependencies,
): Promise<Database> {
  const isEmbedded = configuration.databaseUrl === undefined;
  await migrateDatabase({ connectionString, migrations, isEmbedded, log });
  return openMigratedDatabase({
    connectionString,
    entities: databaseEntities,
    log,
    poolSize: planDatabaseConnections(processes).poolSize,
    ...(statementObserver !== undefined && { statementObserver }),
  });
}
