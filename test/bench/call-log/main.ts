/**
 * `npm run bench:calls`: fills the log of calls, ten million rows unless `--rows` says
 * otherwise (some 15 GB and a quarter of an hour), and prints how long PostgreSQL takes
 * for a page of each filter, what the indexes weigh, and how fast days come and go.
 */
import { parseArgs } from "node:util";
import { pino } from "pino";
import { Client } from "pg";
import { databaseEntities } from "../../../src/app/entities.ts";
import { migrations } from "../../../src/app/migrations/index.ts";
import { openMigratedDatabase, type Database } from "../../../src/platform/database/database.ts";
import { createMissingCallLogPartitions } from "../../../src/call-log/call-partitions.ts";
import { startEmbeddedPostgres } from "../../../src/platform/database/embedded-server.ts";
import { migrateDatabase } from "../../../src/platform/database/migrate.ts";
import {
  clusterOf,
  newDataDirectory,
  removeDataDirectory,
  removeWithThisProcess,
} from "../../support/data-directory.ts";
import { describeMachine, machineLine } from "../report/machine.ts";
import { markdown } from "../report/table.ts";
import { days, fillDay } from "./seed-calls.ts";
import { changeTable, pageTable, sizeTable } from "./tables.ts";

const dayMs = 24 * 60 * 60_000;
const firstDay = Date.UTC(2026, 10, 1);

const { values } = parseArgs({ options: { rows: { type: "string", default: "10000000" } } });
const rows = Number(values.rows);

const dataDirectory = await newDataDirectory();
const log = pino({ level: "error" }, pino.destination(2));
const server = await startEmbeddedPostgres({ dataDirectory, log });
removeWithThisProcess(dataDirectory, await clusterOf(dataDirectory));
try {
  const { connectionString } = server;
  await migrateDatabase({ connectionString, migrations, isEmbedded: true, log });
  const database = await openMigratedDatabase({
    connectionString,
    entities: databaseEntities,
    log,
  });
  await fill(database, connectionString);
  console.log(`\n${machineLine(describeMachine())}, ${rows} calls in ${days} days\n`);
  const noon = firstDay + (days - 0.5) * dayMs;
  for (const table of [pageTable, sizeTable, changeTable]) {
    console.log(`${markdown(await table(database, noon))}\n`);
  }
  await database.close();
} finally {
  await server.stop();
  await removeDataDirectory(dataDirectory);
}

async function fill(database: Database, connectionString: string): Promise<void> {
  const times = Array.from({ length: days }, (_none, day) => firstDay + day * dayMs);
  await createMissingCallLogPartitions(database.fork(), times);
  const client = new Client({ connectionString });
  await client.connect();
  await client.query("set synchronous_commit = off");
  for (const [day, startsAt] of times.entries()) {
    await fillDay(client, startsAt, Math.ceil(rows / days));
    console.log(`day ${day + 1} of ${days}`);
  }
  await client.query("vacuum (analyze) calls");
  await client.query("vacuum (analyze) ledger_entries");
  await client.end();
}
