import { setImmediate, setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { DatabaseChangeFeed } from "../../../src/platform/database/change-feed.ts";
import { toDatabaseUnavailableError } from "../../../src/platform/database/database-unavailable.ts";
import {
  openMigratedDatabase,
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
  const database = await openMigratedDatabase({
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

/** Keeps connections in use, from now on until `release`. */
async function hold(
  database: Database,
  connections = 1,
): Promise<{ readonly release: () => Promise<void> }> {
  const gate = new Client({ connectionString: shared.connectionString });
  await gate.connect();
  await gate.query("select pg_advisory_lock(1)");
  const statements = Array.from({ length: connections }, () =>
    database.fork().execute("select pg_advisory_xact_lock_shared(1)::text"),
  );
  await waitUntil(() => database.poolStats().used === connections);
  const release = async (): Promise<void> => {
    await gate.end();
    await Promise.all(statements);
  };
  return { release };
}

/** Lets neither timers nor sockets have their turn. */
function blockEventLoop(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe("a full pool", () => {
  it("serves a caller that has to wait for longer than two seconds", async () => {
    const { database } = await open({ poolSize: 1 });
    const held = await hold(database);
    const answer = select(database);
    await delay(2500);
    await held.release();
    await expect(answer).resolves.toHaveLength(1);
  });

  it("refuses a caller as overloaded when no connection becomes free in time", async () => {
    const { database, logLines } = await open({ poolSize: 1, waitMs: 200 });
    const held = await hold(database);
    const errors = await Promise.all(
      Array.from({ length: 3 }, () => select(database).catch((error: unknown) => error)),
    );
    for (const error of errors) {
      const refusal = toDatabaseUnavailableError(error);
      expect(refusal).toMatchObject({ code: "unavailable", status: 503, retryAfterSeconds: 2 });
      expect(refusal?.message).toContain("overloaded");
    }
    expect(database.poolStats()).toMatchObject({
      waiting: 0,
      failures: { overloaded: 3, away: 0 },
    });
    const warnings = logLines.filter(({ level }) => level === 40);
    expect(warnings).toMatchObject([{ msg: "database overloaded, no free connection" }]);
    await held.release();
    await expect(select(database)).resolves.toHaveLength(1);
  });

  it("gives the next free connection to an urgent statement", async () => {
    const { database } = await open({ poolSize: 1 });
    const held = await hold(database);
    const ended: string[] = [];
    const run = (name: string, isUrgent: boolean) =>
      database
        .runPrepared({ name, text: "select 1 as one", isUrgent }, [])
        .then(() => ended.push(name));
    const statements = [run("first", false), run("second", false), run("urgent", true)];
    await held.release();
    await Promise.all(statements);
    expect(ended).toEqual(["urgent", "first", "second"]);
  });

  it("does not make the database unreachable for /readyz", async () => {
    const { database } = await open({ poolSize: 1 });
    const held = await hold(database);
    expect(await database.isReachable()).toBe(true);
    await held.release();
  });

  it("gives back the connection that a refused caller no longer takes", async () => {
    const { database } = await open({ poolSize: 2, waitMs: 100 });
    const held = await hold(database, 2);
    await expect(select(database)).rejects.toThrow("No connection became free");
    await held.release();
    // One after the other: none of them waits for a connection, however busy the machine is.
    for (let count = 0; count < 3; count++) await select(database);
    expect(database.poolStats()).toMatchObject({ used: 0, waiting: 0 });
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
    const { database } = await open({ poolSize: 1, waitMs: 500 });
    const held = database.fork().execute("select pg_sleep(0.2)::text");
    const answers = Array.from({ length: 20 }, () => select(database));
    await setImmediate();
    blockEventLoop(800);
    await expect(Promise.all(answers)).resolves.toHaveLength(20);
    await held;
  });

  it("leaves the database reachable and the change feed live", async () => {
    const { database, logLines } = await open();
    const log = pino({}, { write: (line) => void logLines.push(JSON.parse(line)) });
    const feed = new DatabaseChangeFeed({ connectionString: shared.connectionString, log });
    onTestFinished(() => feed.close());
    await feed.start();
    const states: string[] = [];
    feed.onReset(() => states.push("reset"));
    feed.onDown(() => states.push("down"));
    const reachable = database.isReachable();
    blockEventLoop(2500);
    expect(feed.trusted).toBe(false);
    expect(await reachable).toBe(true);
    await waitUntil(() => feed.trusted);
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
