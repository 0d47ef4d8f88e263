import { defineEntity, p } from "@mikro-orm/postgresql";
import { Client } from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { toDatabaseUnavailableError } from "../../../src/platform/database/database-unavailable.ts";
import { openMigratedDatabase, type Database } from "../../../src/platform/database/database.ts";
import { StallingProxy } from "../../support/stalling-proxy.ts";
import { createTestDatabase, execute, type TestDatabase } from "../../support/test-database.ts";
import { waitUntil } from "../../support/wait-until.ts";

const log = pino({ level: "silent" });
const Item = defineEntity({
  name: "Item",
  tableName: "things",
  properties: { id: p.integer().primary(), name: p.text() },
});

let shared: TestDatabase;
beforeAll(async () => {
  shared = await createTestDatabase();
  await execute(
    shared.connectionString,
    "create table things (id int primary key, name text not null)",
  );
});
afterAll(() => shared.drop());

/** Tests that run at the same time have one of their own. */
type AtEnd = typeof onTestFinished;

async function open(
  connectionString = shared.connectionString,
  statements: string[] = [],
  atEnd: AtEnd = onTestFinished,
): Promise<Database> {
  const database = await openMigratedDatabase({
    connectionString,
    entities: [Item],
    log,
    statementObserver: (sql) => statements.push(sql),
  });
  atEnd(() => database.close());
  return database;
}

async function openProxied(
  atEnd: AtEnd = onTestFinished,
): Promise<{ proxy: StallingProxy; database: Database }> {
  const proxy = await StallingProxy.start(shared.connectionString);
  atEnd(() => proxy.close());
  return { proxy, database: await open(proxy.connectionString, [], atEnd) };
}

async function select(database: Database): Promise<unknown> {
  return database.fork().execute("select 1 as one");
}

/** Transactions that are open in the database. */
async function openTransactions(): Promise<number> {
  const client = new Client({ connectionString: shared.connectionString });
  await client.connect();
  const { rows } = await client.query<{ open: number }>(
    `select count(*)::int as open from pg_stat_activity
     where datname = current_database() and state = 'idle in transaction'`,
  );
  await client.end();
  return rows[0]?.open ?? 0;
}

/** What a failed call turns into. */
async function refusal(call: Promise<unknown>) {
  try {
    await call;
  } catch (error) {
    return toDatabaseUnavailableError(error);
  }
  throw new Error("the call did not fail");
}

test("statements are observed, values left out, and none is sent unasked", async () => {
  const statements: string[] = [];
  const database = await open(undefined, statements);
  expect(statements).toEqual([]);
  await database.fork().transactional(async (em) => {
    em.create(Item, { id: 1, name: "secret" });
  });
  expect(statements.map((sql) => sql.split(" ")[0])).toEqual(["begin", "insert", "commit"]);
  expect(statements.join("\n")).not.toContain("secret");
});

test("sessions have limits of the server's own", async () => {
  const database = await open();
  const [row] = await database
    .fork()
    .execute(
      "select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock",
    );
  expect(row).toEqual({ statement: "30s", lock: "10s" });
});

test("a database that is down fails at once and comes back by itself", async () => {
  const { proxy, database } = await openProxied();
  await select(database);
  await proxy.refuse();
  expect(await refusal(select(database))).toMatchObject({
    code: "unavailable",
    status: 503,
    retryAfterSeconds: 1,
  });
  expect(
    await refusal(database.fork().transactional((em) => em.execute("select 1"))),
  ).toMatchObject({ status: 503 });
  expect(await refusal(database.fork().findOne(Item, 1))).toMatchObject({ status: 503 });
  expect(await database.isReachable()).toBe(false);
  await proxy.accept();
  await waitUntil(() => database.isReachable());
  await select(database);
});

test.concurrent("a database that hangs fails in about two seconds, in flight and new, and comes back by itself", async ({
  onTestFinished: atEnd,
}) => {
  const { proxy, database } = await openProxied(atEnd);
  await Promise.all([select(database), select(database)]);
  proxy.freeze();
  const began = performance.now();
  const calls = Array.from({ length: 12 }, () => refusal(select(database)));
  expect(await database.isReachable()).toBe(false);
  for (const answer of await Promise.all(calls)) expect(answer).toMatchObject({ status: 503 });
  expect(performance.now() - began).toBeLessThan(5000);
  proxy.thaw();
  await waitUntil(() => database.isReachable());
});

test.concurrent("connections that are lost in transactions leave their places in the pool", async ({
  onTestFinished: atEnd,
}) => {
  const { proxy, database } = await openProxied(atEnd);
  const transactions = (meanwhile: () => Promise<unknown>) =>
    Array.from({ length: 10 }, () =>
      database.fork().transactional(async (em) => {
        await em.execute("select 1");
        await meanwhile();
        await em.execute("select 1");
      }),
    );
  let cut = () => {};
  const lost = new Promise<void>((resolve) => (cut = resolve));
  const failing = transactions(() => lost).map(refusal);
  await waitUntil(async () => (await openTransactions()) >= 10);
  await proxy.refuse();
  cut();
  for (const answer of await Promise.all(failing)) expect(answer).toMatchObject({ status: 503 });
  await proxy.accept();
  await waitUntil(() => database.isReachable());
  await Promise.all(transactions(() => Promise.resolve()));
});

test.concurrent("a slow statement is not taken for a hanging database", async ({
  onTestFinished: atEnd,
}) => {
  const database = await open(undefined, [], atEnd);
  const rows = await database.fork().execute("select pg_sleep(2.5)::text as slept");
  expect(rows).toHaveLength(1);
});

test("sessions that the server ends are replaced", async () => {
  const database = await open();
  await select(database);
  const sleeping = refusal(database.fork().execute("select pg_sleep(20) as mark"));
  const others = "application_name = 'causeway' and datname = current_database()";
  await waitUntil(async () => {
    const active = await database
      .fork()
      .execute(`select 1 from pg_stat_activity where ${others} and query like '%as mark'`);
    return active.length > 0;
  });
  await execute(
    shared.connectionString,
    `select pg_terminate_backend(pid) from pg_stat_activity where ${others}`,
  );
  expect(await sleeping).toMatchObject({ status: 503 });
  await waitUntil(() => database.isReachable());
});

test("other errors of the database are none of that", async () => {
  const database = await open();
  const errors: unknown[] = [
    await database
      .fork()
      .execute("select * from missing")
      .catch((error: unknown) => error),
    await database
      .fork()
      .execute("insert into things values (7, null)")
      .catch((error: unknown) => error),
    Object.assign(new Error("no such file"), { code: "EACCES" }),
    "text",
  ];
  for (const error of errors) expect(toDatabaseUnavailableError(error)).toBeUndefined();
});
