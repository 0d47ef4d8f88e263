import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { checkDatabaseServer } from "../../../src/platform/database/check-server.ts";
import { DatabaseStartError } from "../../../src/platform/database/database-start-error.ts";
import { createEmptyDatabase, execute } from "../../support/test-database.ts";
import { TransactionPooler } from "../../support/transaction-pooler.ts";

async function emptyDatabase(): Promise<string> {
  const { connectionString, drop } = await createEmptyDatabase();
  onTestFinished(drop);
  return connectionString;
}

function databaseName(connectionString: string): string {
  return new URL(connectionString).pathname.slice(1);
}

test("a server with sessions of its own is good", async () => {
  await expect(checkDatabaseServer(await emptyDatabase())).resolves.toBeUndefined();
});

test("a server with sessions of its own is good, however busy this machine is", async () => {
  const query = Reflect.get(Client.prototype, "query") as (...values: unknown[]) => unknown;
  const standing = function (this: Client, ...values: unknown[]): unknown {
    const result = query.apply(this, values);
    if (values[0] === "commit") standStill(2100);
    return result;
  };
  Reflect.set(Client.prototype, "query", standing);
  onTestFinished(() => void Reflect.set(Client.prototype, "query", query));
  await expect(checkDatabaseServer(await emptyDatabase())).resolves.toBeUndefined();
});

/** Nothing else runs in this process for so many milliseconds. */
function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

test("[environment.pooler] a transaction pooler is refused, and the message says what to do", async () => {
  const pooler = await TransactionPooler.start(await emptyDatabase());
  onTestFinished(() => pooler.close());
  await expect(checkDatabaseServer(pooler.connectionString)).rejects.toThrow(
    /leads to a transaction pooler.*session mode/s,
  );
});

test("[environment.database] a server older than 14 is refused", async () => {
  const connectionString = await emptyDatabase();
  await execute(
    connectionString,
    `create schema old;
     create function old.current_setting(text) returns text language sql as 'select ''130011''';
     alter database ${databaseName(connectionString)} set search_path = old, pg_catalog`,
  );
  await expect(checkDatabaseServer(connectionString)).rejects.toThrow(
    /is PostgreSQL 130011; Causeway needs 14 or newer/,
  );
});

test("a server that takes no writes is refused", async () => {
  const connectionString = await emptyDatabase();
  await execute(
    connectionString,
    `alter database ${databaseName(connectionString)} set default_transaction_read_only = on`,
  );
  await expect(checkDatabaseServer(connectionString)).rejects.toThrow("takes no writes");
});

test("a server that is not there is named, without the password", async () => {
  const refused = checkDatabaseServer("postgresql://someone:hunter2@127.0.0.1:1/name");
  await expect(refused).rejects.toThrow(DatabaseStartError);
  await expect(refused).rejects.toThrow(
    /Cannot connect to the database 127\.0\.0\.1:1\/name: .*ECONNREFUSED/,
  );
  await expect(refused).rejects.not.toThrow("hunter2");
});
