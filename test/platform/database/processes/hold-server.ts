import { pino } from "pino";
import { migrations } from "../../../../src/app/migrations/index.ts";
import { startEmbeddedPostgres } from "../../../../src/platform/database/embedded-server.ts";
import { migrateDatabase } from "../../../../src/platform/database/migrate.ts";

/**
 * A process that uses the embedded server of a data directory until its stdin
 * ends, as a service would.
 *
 * Arguments: the data directory. Prints one line of JSON when it is ready.
 */
const [dataDirectory = ""] = process.argv.slice(2);
const log = pino({ level: "error" }, pino.destination(2));
const began = performance.now();
const server = await startEmbeddedPostgres({ dataDirectory, log, settings: { fsync: "off" } });
const milliseconds = performance.now() - began;
const { connectionString } = server;
const migrated = await migrateDatabase({ connectionString, migrations, log });
process.stdout.write(`${JSON.stringify({ connectionString, migrated, milliseconds })}\n`);
process.stdin.resume();
process.stdin.once("end", () => void server.stop());
