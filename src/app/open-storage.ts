import { checkMasterKey } from "../account/sealed-settings.ts";
import type { Configuration } from "../platform/configuration/configuration.ts";
import { loadInstanceSecrets } from "../platform/configuration/instance-secrets.ts";
import { SecretBox } from "../platform/crypto/secret-box.ts";
import { openDatabase, type Database } from "../platform/database/database.ts";
import { startEmbeddedServer } from "../platform/database/embedded-server.ts";
import { migrateDatabase } from "../platform/database/migrate.ts";
import type { StatementObserver } from "../platform/database/orm-logger.ts";
import type { Logger } from "../platform/log.ts";
import { Closers } from "./closers.ts";
import { entities } from "./entities.ts";
import { migrations } from "./migrations/index.ts";

/** The database of an instance, migrated, and what opens the secrets in it. */
export interface Storage {
  readonly database: Database;
  readonly box: SecretBox;
  /** Undefined: the operator API is off. */
  readonly adminToken: string | undefined;
  /** Closes the connections and leaves the embedded server. */
  close(): Promise<void>;
}

export interface OpenStorageOptions {
  readonly configuration: Configuration;
  readonly log: Logger;
  /** Lets tests count statements. */
  readonly statementObserver?: StatementObserver | undefined;
}

/**
 * Opens `DATABASE_URL` or the embedded server, runs the pending migrations and
 * checks the master key. What was opened is closed again when a step fails.
 */
export async function openStorage(options: OpenStorageOptions): Promise<Storage> {
  const closers = new Closers();
  try {
    return await open(options, closers);
  } catch (error) {
    await closers.closeAfterFailure(options.log);
    throw error;
  }
}

async function open(options: OpenStorageOptions, closers: Closers): Promise<Storage> {
  const { configuration, log } = options;
  const { secretKeys, adminToken } = loadInstanceSecrets(configuration);
  const connectionString = await reachServer(configuration, log, closers);
  const database = await openMigrated(connectionString, options);
  closers.add(() => database.close());
  const box = new SecretBox(secretKeys);
  await checkMasterKey(database.fork(), box);
  return { database, box, adminToken, close: () => closers.closeAll() };
}

async function openMigrated(
  connectionString: string,
  { log, statementObserver }: OpenStorageOptions,
): Promise<Database> {
  await migrateDatabase({ connectionString, migrations, log });
  return openDatabase({
    connectionString,
    entities,
    log,
    ...(statementObserver !== undefined && { statementObserver }),
  });
}

async function reachServer(
  { databaseUrl, dataDirectory }: Configuration,
  log: Logger,
  closers: Closers,
): Promise<string> {
  if (databaseUrl !== undefined) return databaseUrl;
  const server = await startEmbeddedServer({ dataDirectory, log });
  closers.add(() => server.stop());
  return server.connectionString;
}
