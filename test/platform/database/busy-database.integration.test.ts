import { setImmediate } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ChangeFeed } from "../../../src/platform/database/change-feed.ts";
import { databaseUnavailable } from "../../../src/platform/database/database-unavailable.ts";
import {
  openDatabase,
  type Database,
  type DatabaseDependencies,
} from "../../../src/platform/database/database.ts";
import { createTestDatabase, execute, type TestDatabase } from "../../support/test-database.ts";
import { waitUntil } from "../../support/wait-until.ts";

let shared: TestDatabase;

beforeAll(async () => {
  shared = await createTestDatabase();
});

afterAll(() => shared.drop());

interface OpenedDatabase {
  readonly database: Database;
  readonly logLines: Record<string, unknown>[];
}

async function open(options: Partial<DatabaseDependencies> = {}): Promise<OpenedDatabase> {
  const logLines: Record<string, unknown>[] = [];
  const database = await openDatabase({
    connectionString: shared.connectionString,
    entities: [],
    log: pino({}, { write: (line) => void logLines.push(JSON.parse(line)) }),
    ...options,
  });
  onTestFinished(() => database.close());
  return { database, logLines };
}

function select(database: Database): Promise<unknown> {
  return database.fork().execute("select 1 as one");
}

/** Keeps connections in use for so long, from now on. */
async function hold(
  database: Database,
  milliseconds: number,
  connections = 1,
): Promise<{ readonly over: Promise<unknown> }> {
  const statement = `select pg_sleep(${milliseconds / 1000})::text`;
  const statements = Array.from({ length: connections }, () => database.fork().execute(statement));
  await waitUntil(() => database.poolReading().used === connections);
  return { over: Promise.all(statements) };
}

/** Lets neither timers nor sockets have their turn. */
function blockEventLoop(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe("a full pool", () => {
  it("serves a caller that has to wait for longer than two seconds", async () => {
    const { database } = await open({ poolSize: 1 });
    const held = await hold(database, 2500);
    await expect(select(database)).resolves.toHaveLength(1);
    await held.over;
  });

  it("refuses a caller as overloaded when no connection becomes free in time", async () => {
    const { database, logLines } = await open({ poolSize: 1, waitMs: 200 });
    const held = await hold(database, 1000);
    const errors = await Promise.all(
      Array.from({ length: 3 }, () => select(database).catch((error: unknown) => error)),
    );
    for (const error of errors) {
      const refusal = databaseUnavailable(error);
      expect(refusal).toMatchObject({ code: "unavailable", status: 503, retryAfterSeconds: 2 });
      expect(refusal?.message).toContain("overloaded");
    }
    expect(database.poolReading()).toMatchObject({
      waiting: 0,
      failures: { overloaded: 3, away: 0 },
    });
    const warnings = logLines.filter(({ level }) => level === 40);
    expect(warnings).toMatchObject([{ msg: "database overloaded, no free connection" }]);
    await held.over;
    await expect(select(database)).resolves.toHaveLength(1);
  });

  it("does not make the database unreachable for /readyz", async () => {
    const { database } = await open({ poolSize: 1 });
    const held = await hold(database, 2000);
    expect(await database.isReachable()).toBe(true);
    await held.over;
  });

  it("gives back the connection that a refused caller no longer takes", async () => {
    const { database } = await open({ poolSize: 2, waitMs: 100 });
    const held = await hold(database, 500, 2);
    await expect(select(database)).rejects.toThrow("No connection became free");
    await held.over;
    await Promise.all([select(database), select(database), select(database)]);
    expect(database.poolReading()).toMatchObject({ used: 0, waiting: 0 });
  });
});

describe("a server that takes no more connections", () => {
  it("lets callers wait for the connections that are open", async () => {
    const role = `narrow_${Date.now()}`;
    await execute(
      shared.connectionString,
      `create role ${role} login superuser connection limit 1 password 'narrow'`,
    );
    await execute(shared.connectionString, `alter role ${role} nosuperuser`);
    const url = new URL(shared.connectionString);
    url.username = role;
    url.password = "narrow";
    const { database } = await open({ connectionString: url.href, poolSize: 5 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => select(database)));
    expect(answers).toHaveLength(20);
    await database.close();
    await execute(shared.connectionString, `drop role ${role}`);
  });
});

describe("an event loop that was blocked", () => {
  it("does not end connections that are being opened", async () => {
    const { database } = await open();
    const answers = Array.from({ length: 20 }, () => select(database));
    // They have begun to connect.
    await setImmediate();
    blockEventLoop(2500);
    await expect(Promise.all(answers)).resolves.toHaveLength(20);
  });

  it("does not end waits for a connection that is free by now", async () => {
    const { database } = await open({ poolSize: 1, waitMs: 2000 });
    const held = await hold(database, 200);
    const answers = Array.from({ length: 20 }, () => select(database));
    await setImmediate();
    blockEventLoop(2500);
    await expect(Promise.all(answers)).resolves.toHaveLength(20);
    await held.over;
  });

  it("leaves the database reachable and the change feed live", async () => {
    const { database, logLines } = await open();
    const log = pino({}, { write: (line) => void logLines.push(JSON.parse(line)) });
    const feed = new ChangeFeed({ connectionString: shared.connectionString, log });
    onTestFinished(() => feed.close());
    await feed.start();
    const states: string[] = [];
    feed.onReset(() => states.push("reset"));
    feed.onAway(() => states.push("away"));
    for (let round = 0; round < 3; round++) {
      const reachable = database.isReachable();
      blockEventLoop(2500);
      expect(feed.trusted).toBe(false);
      expect(await reachable).toBe(true);
      await waitUntil(() => feed.trusted);
    }
    expect(states).toEqual([]);
    expect(logLines.filter(({ level }) => level === 40)).toEqual([]);
  });
});

describe("a database that is closed", () => {
  it("ends while callers take and wait for new connections", async () => {
    const { database } = await open({ poolSize: 5 });
    const answers = Array.from({ length: 20 }, () => select(database));
    const outcomes = Promise.allSettled(answers);
    await Promise.race(answers);
    await database.close();
    const refused = (await outcomes).filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
  });
});
