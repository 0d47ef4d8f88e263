import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { pino } from "pino";
import type { TestProject } from "vitest/node";
import { migrations } from "../../src/app/migrations/index.ts";
import { startEmbeddedPostgres } from "../../src/platform/database/embedded-server.ts";
import { migrateDatabase } from "../../src/platform/database/migrate.ts";
import {
  clusterOf,
  directoryPrefix,
  newDataDirectoryInMemory,
  removeDataDirectory,
  removeWithThisProcess,
} from "./data-directory.ts";
import { templateDatabase, withDatabase } from "./test-database.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Superuser's connection string to the server of this run. */
    databaseServer: string;
    /** Folder that goes with the run. */
    temporaryDirectory: string;
  }
}

/**
 * What a crash would lose does not matter here, and databases live too short to be vacuumed: a
 * process would start for each of them every minute. Both make the suite faster.
 */
const settings = {
  autovacuum: "off",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300",
};

/**
 * Starts one embedded PostgreSQL for the whole run and migrates a template
 * database, of which each test file gets a copy (`createTestDatabase`).
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDirectory = await newDataDirectoryInMemory();
  const log = pino({ level: "warn" }, pino.destination(2));
  const server = await startEmbeddedPostgres({ dataDirectory, log, settings });
  removeWithThisProcess(dataDirectory, await clusterOf(dataDirectory));
  await makeTemplate(server.superuserConnectionString);
  const connectionString = withDatabase(server.superuserConnectionString, templateDatabase);
  await migrateDatabase({ connectionString, migrations, log });
  project.provide("databaseServer", server.superuserConnectionString);
  const temporaryDirectory = await mkdtemp(join(tmpdir(), `${directoryPrefix}${process.pid}-`));
  project.provide("temporaryDirectory", temporaryDirectory);
  return async () => {
    await server.stop();
    await rm(temporaryDirectory, { recursive: true, force: true });
    await removeDataDirectory(dataDirectory);
  };
}

async function makeTemplate(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(`create database ${templateDatabase}`);
  await client.end();
}
