import { Migrator } from "@mikro-orm/migrations";
import { MikroORM } from "@mikro-orm/postgresql";
import type { MigrateDependencies } from "./migrate.ts";
import { buildOrmOptions } from "./orm-options.ts";

/**
 * Runs what is pending, each migration in a transaction of its own. Call it under
 * the lock of `migrateDatabase`.
 *
 * @returns names of the migrations that ran now
 */
export async function runPendingMigrations({
  connectionString,
  migrations,
  log,
}: MigrateDependencies): Promise<string[]> {
  const migrationsList = await Promise.all(
    migrations.map(async (migration) => ({
      name: migration.name,
      class: await migration.load(),
    })),
  );
  const options = buildOrmOptions(connectionString, []);
  const orm = await MikroORM.init({
    ...options,
    extensions: [Migrator],
    migrations: { ...options.migrations, migrationsList },
  });
  try {
    const ran = (await orm.migrator.up()).map(({ name }) => name);
    if (ran.length > 0) log.info({ migrations: ran }, "database migrated");
    return ran;
  } finally {
    await orm.close();
  }
}
