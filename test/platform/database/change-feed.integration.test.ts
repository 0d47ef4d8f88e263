import { pino } from "pino";
import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { DatabaseChangeFeed } from "../../../src/platform/database/change-feed.ts";
import { buildChangeFeedTriggerSql } from "../../../src/platform/database/change-trigger.ts";
import type { ChangedTableRow } from "../../../src/platform/database/change.ts";
import { createTestDatabase, execute, type TestDatabase } from "../../support/test-database.ts";
import { StallingProxy } from "../../support/stalling-proxy.ts";
import { waitUntil } from "../../support/wait-until.ts";

const log = pino({ level: "silent" });
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await execute(
    database.connectionString,
    `create table watched_things (id text, owner_id text, text text, used_at timestamptz);
     ${buildChangeFeedTriggerSql({ table: "watched_things", accountColumn: "owner_id", columns: ["id", "owner_id", "text"] })}`,
  );
});
afterAll(() => database.drop());

/** Tests that run at the same time have one of their own. */
type AtEnd = typeof onTestFinished;

async function startProxy(atEnd: AtEnd = onTestFinished): Promise<StallingProxy> {
  const proxy = await StallingProxy.start(database.connectionString);
  atEnd(() => proxy.close());
  return proxy;
}

interface StartedFeed {
  readonly feed: DatabaseChangeFeed;
  readonly changes: ChangedTableRow[];
  /** Number of resets so far. */
  readonly resets: () => number;
}

async function startFeed(
  connectionString = database.connectionString,
  atEnd: AtEnd = onTestFinished,
): Promise<StartedFeed> {
  const feed = new DatabaseChangeFeed({ connectionString, log });
  atEnd(() => feed.close());
  const changes: ChangedTableRow[] = [];
  let resets = 0;
  feed.on("watched_things", (change) => changes.push(change));
  feed.onReset(() => (resets += 1));
  await feed.start();
  return { feed, changes, resets: () => resets };
}

async function change(sql: string): Promise<void> {
  await execute(database.connectionString, sql);
}

test("every feed hears of inserts, updates and deletions, with the account", async () => {
  const feeds = await Promise.all([startFeed(), startFeed()]);
  await change("insert into watched_things values ('a', 'user_1', 'x')");
  await change("update watched_things set text = 'y' where id = 'a'");
  await change("delete from watched_things where id = 'a'");
  for (const { changes, feed } of feeds) {
    await waitUntil(() => changes.length === 3);
    expect(changes).toEqual(
      Array.from({ length: 3 }, () => ({ table: "watched_things", id: "a", accountId: "user_1" })),
    );
    expect(feed.state).toBe("live");
    expect(feed.trusted).toBe(true);
  }
});

test("has heard of what was committed before, by anybody, when it says so", async () => {
  const { changes, feed } = await startFeed();
  for (let count = 1; count <= 20; count++) {
    await change(`insert into watched_things values ('m${count}', 'user_1', 'x')`);
    // A feed whose last heartbeat is old, as on a busy machine, says so at once.
    await waitUntil(() => feed.trusted);
    await feed.waitUntilCaughtUp();
    expect(changes).toHaveLength(count);
  }
});

test("keeps nobody waiting for marks of a database that is away", async () => {
  const proxy = await startProxy();
  const { feed } = await startFeed(proxy.connectionString);
  const waiting = feed.waitUntilCaughtUp();
  await proxy.close();
  await waiting;
  await waitUntil(() => !feed.trusted);
  await expect(feed.waitUntilCaughtUp()).resolves.toBeUndefined();
});

test("a row that moves is announced to both accounts, one transaction's equal changes once", async () => {
  const { changes } = await startFeed();
  await change("insert into watched_things values ('b', 'user_1', 'x')");
  await change(
    "begin; update watched_things set text = 'y' where id = 'b'; update watched_things set owner_id = 'team_2' where id = 'b'; commit",
  );
  await waitUntil(() => changes.length === 3);
  expect(changes.map(({ accountId }) => accountId)).toEqual(["user_1", "user_1", "team_2"]);
});

test("columns that a trigger leaves out are not announced", async () => {
  const { changes } = await startFeed();
  await change("insert into watched_things values ('c', 'user_1', 'x')");
  await change("update watched_things set used_at = now() where id = 'c'");
  await change("delete from watched_things where id = 'c'");
  await waitUntil(() => changes.length === 2);
  expect(changes).toHaveLength(2);
});

test("a listener that throws does not keep the next from hearing", async () => {
  const { feed, changes } = await startFeed();
  feed.onReset(() => {
    throw new Error("broken");
  });
  const heard: ChangedTableRow[] = [];
  feed.on("watched_things", () => {
    throw new Error("broken");
  });
  feed.on("watched_things", (item) => heard.push(item));
  await change("insert into watched_things values ('d', 'user_1', 'x')");
  await waitUntil(() => heard.length === 1);
  expect(changes).toHaveLength(1);
});

test("what is no notification of ours is passed over", async () => {
  const { feed, changes } = await startFeed();
  await change("notify causeway_change, 'not json'; notify causeway_change, '{\"table\": 7}'");
  await change("insert into watched_things values ('e', 'user_1', 'x')");
  await waitUntil(() => changes.length === 1);
  expect(feed.trusted).toBe(true);
});

test("a listener whose session is ended comes back, and says that changes may be missing", async () => {
  const { feed, resets } = await startFeed();
  const before = resets();
  await change(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'causeway listener' and datname = current_database()",
  );
  await waitUntil(() => resets() > before);
  await waitUntil(() => feed.trusted);
  const changes: ChangedTableRow[] = [];
  feed.on("watched_things", (item) => changes.push(item));
  await change("insert into watched_things values ('f', 'user_1', 'x')");
  await waitUntil(() => changes.length === 1);
  expect(feed.state).toBe("live");
});

test.concurrent("a half-dead listener is noticed in about two seconds and replaced", async ({
  onTestFinished: atEnd,
}) => {
  const proxy = await startProxy(atEnd);
  const { feed, resets } = await startFeed(proxy.connectionString, atEnd);
  const before = resets();
  const began = performance.now();
  proxy.deafenListeners();
  await waitUntil(() => !feed.trusted);
  expect(performance.now() - began).toBeLessThan(3000);
  await waitUntil(() => resets() > before);
  await waitUntil(() => feed.trusted);
  expect(feed.state).toBe("live");
});

test.concurrent("while the database answers but notifies nobody, the feed is silent", async ({
  onTestFinished: atEnd,
}) => {
  const proxy = await startProxy(atEnd);
  const { feed, resets } = await startFeed(proxy.connectionString, atEnd);
  const before = resets();
  proxy.deaf = true;
  await waitUntil(() => feed.state === "silent");
  expect(resets()).toBeGreaterThan(before);
  proxy.deaf = false;
  await waitUntil(() => feed.trusted);
});

test.concurrent("a database that refuses connections is away at once, without a reset, and comes back with one", async ({
  onTestFinished: atEnd,
}) => {
  const proxy = await startProxy(atEnd);
  const { feed, resets } = await startFeed(proxy.connectionString, atEnd);
  const before = resets();
  let isTold = false;
  feed.onDown(() => (isTold = true));
  await proxy.refuse();
  await waitUntil(() => feed.state === "down", 3000);
  expect(isTold).toBe(true);
  expect(resets()).toBe(before);
  expect(feed.trusted).toBe(false);
  await proxy.accept();
  await waitUntil(() => feed.trusted, 4000);
  expect(resets()).toBeGreaterThan(before);
});

test.concurrent("a database that hangs is away in about two seconds, and the feed recovers", async ({
  onTestFinished: atEnd,
}) => {
  const proxy = await startProxy(atEnd);
  const { feed, resets } = await startFeed(proxy.connectionString, atEnd);
  const before = resets();
  proxy.freeze();
  await waitUntil(() => feed.state !== "live", 5000);
  expect(feed.state).toBe("down");
  expect(resets()).toBe(before);
  proxy.thaw();
  await waitUntil(() => feed.trusted, 4000);
});

test("a change reaches a cache within a second", async () => {
  const { changes } = await startFeed();
  const client = new Client({ connectionString: database.connectionString });
  await client.connect();
  const began = performance.now();
  await client.query("insert into watched_things values ('g', 'user_1', 'x')");
  await waitUntil(() => changes.length === 1);
  expect(performance.now() - began).toBeLessThan(1000);
  await client.end();
});
