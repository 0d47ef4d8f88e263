import { checkMasterKey } from "../account/sealed-settings.ts";
import type { Configuration } from "../platform/configuration/configuration.ts";
import { loadInstanceSecrets } from "../platform/configuration/instance-secrets.ts";
import { SecretBox } from "../platform/crypto/secret-box.ts";
import { openDatabase, type Database } from "../platform/database/database.ts";
import { startEmbeddedServer } from "../platform/database/embedded-server.ts";
import { migrateDatabase } from "../platform/database/migrate.ts";
import type { StatementObserver } from "../platform/database/orm-logger.ts";
import type { Logger } from "../platform/log.ts";
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
  const { configuration, log } = options;
  const secrets = loadInstanceSecrets(configuration);
  const server = await reachServer(configuration, log);
  try {
    const database = await openMigrated(server.connectionString, options);
    const box = new SecretBox(secrets.secretKeys);
    const close = async (): Promise<void> => {
      await database.close();
      await server.stop();
    };
    await checkMasterKey(database.fork(), box);
    return { database, box, adminToken: secrets.adminToken, close };
  } catch (error) {
    await server.stop();
    throw error;
  }
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

interface ReachedServer {
  readonly connectionString: string;
  stop(): Promise<void>;
}

async function reachServer(
  { databaseUrl, dataDirectory }: Configuration,
  log: Logger,
): Promise<ReachedServer> {
  if (databaseUrl === undefined) return startEmbeddedServer({ dataDirectory, log });
  return { connectionString: databaseUrl, stop: () => Promise.resolve() };
}
