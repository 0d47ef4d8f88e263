import { pino } from "pino";
import { migrations } from "../../../../src/app/migrations/index.ts";
import { migrateDatabase } from "../../../../src/platform/database/migrate.ts";

/** Migrates the database of its argument and prints the names of the migrations that it ran, as JSON. */
const [connectionString = ""] = process.argv.slice(2);
const ran = await migrateDatabase({ connectionString, migrations, log: pino({ level: "silent" }) });
process.stdout.write(JSON.stringify(ran));
