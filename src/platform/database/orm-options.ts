import type { Options } from "@mikro-orm/postgresql";
import { Client } from "pg";
import { PostgresOrmDriver } from "./database-driver.ts";

/** Table of the migrations that ran. */
export const migrationTableName = "schema_migrations";

/** Explicit list of entities, as `MikroORM` takes it. */
export type OrmEntityList = NonNullable<Options["entities"]>;

/** What every MikroORM of ours is opened with, whatever it is for. */
export function buildOrmOptions(connectionString: string, entities: OrmEntityList) {
  return {
    driver: PostgresOrmDriver,
    entities,
    // Only to be named; the driver reads the string itself, which knows sslmode, sockets and the like.
    dbName: new Client({ connectionString }).database ?? "",
    driverOptions: { connectionString },
    ensureDatabase: false,
    discovery: { warnWhenNoEntities: false },
    metadataCache: { enabled: false },
    forceUtcTimezone: true,
    // Triggers and functions are written by hand in migrations, no entity mentions them.
    schemaGenerator: { ignoreTriggers: true, ignoreRoutines: true },
    migrations: {
      tableName: migrationTableName,
      snapshot: false,
      allOrNothing: false,
      transactional: true,
      silent: true,
    },
  } satisfies Options;
}
