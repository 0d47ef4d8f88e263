import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { queuedResponse } from "../../src/dialect/responses/queued-response.ts";
import { SecretBox } from "../../src/platform/crypto/secret-box.ts";
import { openDatabase, type Database } from "../../src/platform/database/database.ts";
import { createTurnMetrics } from "../../src/platform/telemetry/turn-metrics.ts";
import { TurnBatchSchema } from "../../src/turn/turn-batch.entity.ts";
import { TurnNews } from "../../src/turn/turn-news.ts";
import { TurnQueue } from "../../src/turn/turn-queue.ts";
import { leaseSeconds } from "../../src/turn/turn-statements.ts";
import { TurnRunner } from "../../src/turn/turn-runner.ts";
import { TurnStore } from "../../src/turn/turn-store.ts";
import { Turns } from "../../src/turn/turns.ts";
import { TurnSchema } from "../../src/turn/turn.entity.ts";
import { FakeFeed } from "../support/fake-feed.ts";
import { selectRows } from "../support/select-rows.ts";
import { createTestDatabase, execute, type TestDatabase } from "../support/test-database.ts";
import { waitUntil } from "../support/wait-until.ts";

const log = pino({ level: "silent" });
const change = { table: "turns", id: "turn_x", accountId: "user_a" };
let testDatabase: TestDatabase;
let database: Database;
const statements: string[] = [];
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const statementObserver = (sql: string): void => void statements.push(sql);
  const entities = [TurnSchema, TurnBatchSchema];
  database = await openDatabase({ ...testDatabase, entities, log, statementObserver });
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

interface IdleRunner {
  readonly feed: FakeFeed;
  readonly queue: TurnQueue;
  readonly workerId: string;
  readonly turns: Turns;
}

/** A runner that has looked and found nothing, and hears only what a test tells it. */
async function startIdleRunner(): Promise<IdleRunner> {
  const feed = new FakeFeed();
  const fork = () => database.fork();
  const queue = new TurnQueue({ runPrepared: database.runPrepared, feed });
  const box = new SecretBox([randomBytes(32)]);
  const store = new TurnStore({ fork, box, clock: Date, days: 30, threadsDays: 30 });
  const news = new TurnNews();
  const workerId = randomUUID();
  const runner: TurnRunner = new TurnRunner({
    workerId,
    feed,
    queue,
    store,
    caller: {
      prepare: async () => undefined,
      // An upstream that says nothing.
      call: async ({ signal }) => {
        await once(signal, "abort");
        throw new Error("The turn was broken off.");
      },
      mayGoOn: async () => true,
      settleLost: () => Promise.reject(new Error("No call is lost here.")),
    },
    news,
    fork,
    counts: createTurnMetrics(new Registry()),
    background: { run: (_name, task) => task().catch(() => undefined) },
    log,
    clock: Date,
    agent: undefined,
  });
  closing.push(() => runner.close(AbortSignal.abort()));
  const turns = new Turns({ store, queue, feed, news, worker: () => runner });
  statements.length = 0;
  runner.start();
  await waitUntil(() => statements.some((sql) => sql.includes('"hasWaiting"')));
  return { feed, queue, workerId, turns };
}

/** A turn that another process took as it was stored, and that is no more: whoever takes it ends it at once. */
async function takeElsewhere(queue: TurnQueue): Promise<string> {
  const id = `turn_${randomUUID()}`;
  const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + 60_000)];
  const sealed = { content: "", frames: "", format: 1, lastSequence: 0 };
  const row = { id, accountId: "user_a", keyId: "key_a", ...sealed, createdAt, expiresAt };
  const worker = { workerId: "another process", freePlaces: 256 };
  const bounds = { perKey: 100, perAccount: 100 };
  expect((await queue.start(row, bounds, worker)).claim).toMatchObject({ turnId: id });
  await execute(testDatabase.connectionString, `delete from turns where id = '${id}'`);
  return id;
}

/** The process that a turn has ended at; undefined: it runs. */
async function endedBy(turnId: string): Promise<unknown> {
  const [row] = await selectRows(
    testDatabase.connectionString,
    `select "run"."claimed_by" from "absurd"."t_turns" "task"
     join "absurd"."r_turns" "run" using ("task_id")
     where "task"."idempotency_key" = $1 and "run"."state" = 'completed'`,
    turnId,
  );
  return row?.["claimed_by"];
}

/** One lease, and what a busy machine needs. */
const takeoverMs = leaseSeconds * 1000 + 3000;

/** The process that has taken a turn over, when it has; fails where that is too late. */
async function takenOverBy(turnId: () => string): Promise<unknown> {
  await waitUntil(async () => (await endedBy(turnId())) !== undefined, takeoverMs);
  return endedBy(turnId());
}

describe("an idle process", () => {
  it("takes over a turn whose lease runs out when it has heard of a turn and of nothing else", async () => {
    const { feed, queue, workerId } = await startIdleRunner();
    const turnId = await takeElsewhere(queue);
    feed.announce(change);
    expect(await takenOverBy(() => turnId)).toBe(workerId);
  });

  it("takes it over when the feed may have missed that there is one", async () => {
    const { feed, queue, workerId } = await startIdleRunner();
    const turnId = await takeElsewhere(queue);
    feed.reset();
    expect(await takenOverBy(() => turnId)).toBe(workerId);
  });

  it("takes it over when it has heard of the turn while it looked, and seen nothing", async () => {
    const { feed, queue, workerId } = await startIdleRunner();
    const look = queue.outlook.bind(queue);
    let turnId = "";
    queue.outlook = async () => {
      const seen = await look();
      queue.outlook = look;
      turnId = await takeElsewhere(queue);
      feed.announce(change);
      return seen;
    };
    feed.reset();
    expect(await takenOverBy(() => turnId)).toBe(workerId);
  });

  it("asks nothing when it hears of turns one after the other, but once in the time of a lease", async () => {
    const { feed } = await startIdleRunner();
    statements.length = 0;
    for (let told = 0; told < 50; told += 1) feed.announce(change);
    expect(statements).toEqual([]);
    await waitUntil(() => statements.length > 0, takeoverMs);
    expect(statements).toHaveLength(1);
  });
});

describe("a process that runs a turn", () => {
  it("does not take the turn from itself when its lease ran out while the database was away", async () => {
    const { feed, queue, turns } = await startIdleRunner();
    const id = `turn_${randomUUID()}`;
    const request = { requestId: "req", address: "::1", callId: "call", headers: {}, body: "{}" };
    const response = queuedResponse({ id, created: 1, body: { model: "m", input: "Hi" } });
    await turns.start({ id, accountId: "user_a", keyId: "key_a", request, input: [], response });
    const renew = queue.renew.bind(queue);
    queue.renew = () => Promise.reject(new Error("The database is away."));
    const attempts = () =>
      selectRows(
        testDatabase.connectionString,
        `select "run"."attempt", "run"."state", "run"."claim_expires_at" < now() as "expired"
         from "absurd"."t_turns" "task" join "absurd"."r_turns" "run" using ("task_id")
         where "task"."idempotency_key" = $1`,
        id,
      );
    await waitUntil(async () => (await attempts())[0]?.["expired"] === true);
    queue.renew = renew;
    feed.reset();
    await waitUntil(async () => (await attempts())[0]?.["expired"] === false);
    expect(await attempts()).toEqual([{ attempt: 1, state: "running", expired: false }]);
  });
});
