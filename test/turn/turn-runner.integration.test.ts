import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import { Registry } from "prom-client";
import { describe, expect, it, type TestContext } from "vitest";
import { buildResponsesQueuedResponse } from "../../src/dialect/responses/queued-response.ts";
import type { AgentHistoryReader, AgentTurnSettings } from "../../src/domain/agent-turn.ts";
import { openMemoryReservationScope, noopMemoryReserver } from "../../src/platform/hold-memory.ts";
import { SecretBox } from "../../src/platform/crypto/secret-box.ts";
import { openMigratedDatabase } from "../../src/platform/database/database.ts";
import { createTurnMetrics } from "../../src/platform/telemetry/turn-metrics.ts";
import { TurnEventBatchEntity } from "../../src/turn/turn-event-batch.entity.ts";
import { InProcessTurnNotifier } from "../../src/turn/turn-notifier.ts";
import { TurnQueue } from "../../src/turn/turn-queue.ts";
import { turnLeaseSeconds } from "../../src/turn/turn-statements.ts";
import type { AgentTurnDependencies } from "../../src/turn/turn-run.ts";
import { TurnQueueWorker } from "../../src/turn/turn-runner.ts";
import { TurnStore } from "../../src/turn/turn-store.ts";
import { DatabaseTurnService } from "../../src/turn/turns.ts";
import { DurableTurnEntity } from "../../src/turn/turn.entity.ts";
import { FakeFeed } from "../support/fake-feed.ts";
import { selectRows } from "../support/select-rows.ts";
import { createTestDatabase, execute } from "../support/test-database.ts";
import { approvals, limits, ScriptedTools } from "./agent/agent-environment.ts";
import { waitUntil } from "../support/wait-until.ts";

const log = pino({ level: "silent" });
const change = { table: "turns", id: "turn_x", accountId: "user_a" };

interface IdleRunner {
  readonly connectionString: string;
  /** Statements that the runner sent. */
  readonly statements: string[];
  readonly feed: FakeFeed;
  readonly queue: TurnQueue;
  readonly store: TurnStore;
  readonly workerId: string;
  readonly turns: DatabaseTurnService;
  readonly runner: TurnQueueWorker;
  /** Whether a model call of a turn has begun. */
  isThinking(): boolean;
}

/**
 * A runner that has looked and found nothing, and hears only what a test tells it. It has a
 * database of its own: the tests wait for leases at the same time.
 */
async function startIdleRunner(
  { onTestFinished }: TestContext,
  memoryBytes = Number.MAX_SAFE_INTEGER,
  agent?: AgentTurnDependencies,
): Promise<IdleRunner> {
  const testDatabase = await createTestDatabase();
  onTestFinished(testDatabase.drop);
  const { connectionString } = testDatabase;
  const statements: string[] = [];
  const statementObserver = (sql: string): void => void statements.push(sql);
  const entities = [DurableTurnEntity, TurnEventBatchEntity];
  const database = await openMigratedDatabase({
    connectionString,
    entities,
    log,
    statementObserver,
  });
  onTestFinished(() => database.close());
  const feed = new FakeFeed();
  const fork = () => database.fork();
  const queue = new TurnQueue({ runPrepared: database.runPrepared, feed });
  const box = new SecretBox([randomBytes(32)]);
  const store = new TurnStore({ fork, box, clock: Date, days: 30, threadsDays: 30 });
  const news = new InProcessTurnNotifier();
  const workerId = randomUUID();
  let calls = 0;
  const runner: TurnQueueWorker = new TurnQueueWorker({
    workerId,
    memoryBytes,
    feed,
    queue,
    store,
    caller: {
      prepareTransaction: async () => undefined,
      openMemory: () => openMemoryReservationScope(noopMemoryReserver),
      // An upstream that says nothing.
      call: async ({ signal }) => {
        calls += 1;
        if (!signal.aborted) await once(signal, "abort");
        throw new Error("The turn was broken off.");
      },
      canContinue: async () => true,
      settleOrphaned: () => Promise.reject(new Error("No call is lost here.")),
    },
    notifier: news,
    fork,
    counts: createTurnMetrics(new Registry()),
    background: { run: (_name, task) => task().catch(() => undefined) },
    log,
    clock: Date,
    agent,
  });
  onTestFinished(() => runner.close(AbortSignal.abort()));
  const turns = new DatabaseTurnService({
    store,
    queue,
    feed,
    notifier: news,
    worker: () => runner,
  });
  statements.length = 0;
  runner.start();
  await waitUntil(() => statements.some((sql) => sql.includes('"hasWaiting"')));
  return {
    connectionString,
    statements,
    feed,
    queue,
    store,
    workerId,
    turns,
    runner,
    isThinking: () => calls > 0,
  };
}

/** A turn that another process took as it was stored, and that is no more: whoever takes it ends it at once. */
async function takeElsewhere({ queue, connectionString }: IdleRunner): Promise<string> {
  const id = `turn_${randomUUID()}`;
  const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + 60_000)];
  const sealed = { content: "", frames: "", format: 1, lastSequence: 0 };
  const row = { id, accountId: "user_a", keyId: "key_a", ...sealed, createdAt, expiresAt };
  const worker = { workerId: "another process", freePlaces: 256 };
  const bounds = { perKey: 100, perAccount: 100 };
  expect((await queue.start(row, bounds, worker)).claim).toMatchObject({ turnId: id });
  await execute(connectionString, `delete from turns where id = '${id}'`);
  return id;
}

/** A turn that a caller asks for in the background. */
async function ask(
  { turns }: IdleRunner,
  accountId = "user_a",
  input = "Hi",
  agent?: AgentTurnSettings,
): Promise<string> {
  const id = `turn_${randomUUID()}`;
  const request = { requestId: "req", address: "::1", callId: "call", headers: {}, body: input };
  const response = buildResponsesQueuedResponse({ id, created: 1, body: { model: "m" } });
  await turns.start({
    id,
    accountId,
    keyId: "key_a",
    request,
    input: [],
    response,
    ...(agent && { agent }),
  });
  return id;
}

/** Stores turns that another process takes at once. */
async function askElsewhere(queue: TurnQueue, work: () => Promise<void>): Promise<void> {
  const free = { workerId: "another process", freePlaces: 256 };
  const start = queue.start.bind(queue);
  queue.start = async (turn, bounds) => {
    await start(turn, bounds, free);
    return { start: "started", claim: undefined };
  };
  await work();
  queue.start = start;
}

const agentTurn: AgentTurnSettings = {
  threadId: "thread_1",
  session: "s",
  engine: "omni",
  model: "custom/box/m",
  instructions: undefined,
  limits,
  receiver: { accountId: "user_a", userId: "user_a" },
  canApprove: true,
};

/** How many turns are in a state, by who has them. */
async function countRuns({ connectionString }: IdleRunner, state: string): Promise<number> {
  const sql = `select "run_id" from "absurd"."r_turns" where "state" = $1`;
  return (await selectRows(connectionString, sql, state)).length;
}

/** The process that a turn has ended at; undefined: it runs. */
async function endedBy(connectionString: string, turnId: string): Promise<unknown> {
  const [row] = await selectRows(
    connectionString,
    `select "run"."claimed_by" from "absurd"."t_turns" "task"
     join "absurd"."r_turns" "run" using ("task_id")
     where "task"."idempotency_key" = $1 and "run"."state" = 'completed'`,
    turnId,
  );
  return row?.["claimed_by"];
}

/** One lease, and what a busy machine needs. */
const takeoverMs = turnLeaseSeconds * 1000 + 3000;

/** The process that has taken a turn over, when it has; fails where that is too late. */
async function takenOverBy(
  { connectionString }: IdleRunner,
  turnId: () => string,
): Promise<unknown> {
  const ender = () => endedBy(connectionString, turnId());
  await waitUntil(async () => (await ender()) !== undefined, takeoverMs);
  return ender();
}

describe.concurrent("an idle process", () => {
  it("takes over a turn whose lease runs out when it has heard of a turn and of nothing else", async (test) => {
    const runner = await startIdleRunner(test);
    const turnId = await takeElsewhere(runner);
    runner.feed.announce(change);
    expect(await takenOverBy(runner, () => turnId)).toBe(runner.workerId);
  });

  it("takes it over when the feed may have missed that there is one", async (test) => {
    const runner = await startIdleRunner(test);
    const turnId = await takeElsewhere(runner);
    runner.feed.reset();
    expect(await takenOverBy(runner, () => turnId)).toBe(runner.workerId);
  });

  it("takes it over when it has heard of the turn while it looked, and seen nothing", async (test) => {
    const runner = await startIdleRunner(test);
    const { feed, queue, workerId } = runner;
    const look = queue.outlook.bind(queue);
    let turnId = "";
    queue.outlook = async () => {
      const seen = await look();
      queue.outlook = look;
      turnId = await takeElsewhere(runner);
      feed.announce(change);
      return seen;
    };
    feed.reset();
    expect(await takenOverBy(runner, () => turnId)).toBe(workerId);
  });

  it("asks nothing when it hears of turns one after the other, but once in the time of a lease", async (test) => {
    const { feed, statements } = await startIdleRunner(test);
    statements.length = 0;
    for (let told = 0; told < 50; told += 1) feed.announce(change);
    expect(statements).toEqual([]);
    await waitUntil(() => statements.length > 0, takeoverMs);
    expect(statements).toHaveLength(1);
  });
});

describe.concurrent("a process that runs a turn", () => {
  it("does not take the turn from itself when its lease ran out while the database was away", async (test) => {
    const runner = await startIdleRunner(test);
    const { connectionString, feed, queue } = runner;
    // A busy machine: the runner learns of its claim late, and counts its lease from then.
    const start = queue.start.bind(queue);
    queue.start = async (...given) => {
      const started = await start(...given);
      await delay(500);
      return started;
    };
    const id = await ask(runner);
    const renew = queue.renew.bind(queue);
    queue.renew = () => Promise.reject(new Error("The database is away."));
    const attempts = () =>
      selectRows(
        connectionString,
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

describe.concurrent("a process that takes turns over", () => {
  it("reads four at a time, and takes the next when one was read", async (test) => {
    const runner = await startIdleRunner(test);
    const { connectionString, feed, queue, store } = runner;
    await askElsewhere(queue, async () => {
      for (let asked = 0; asked < 10; asked += 1) await ask(runner);
    });
    const load = store.load.bind(store);
    const gates: (() => void)[] = [];
    let most = 0;
    store.load = async (id) => {
      most = Math.max(most, gates.length + 1);
      await new Promise<void>((resolve) => gates.push(resolve));
      return load(id);
    };
    await execute(connectionString, `update absurd.r_turns set claim_expires_at = now()`);
    feed.reset();
    for (let read = 0; read < 10; read += 1) {
      await waitUntil(() => gates.length === Math.min(4, 10 - read));
      // A turn that it has stored itself does not wait for these.
      if (read === 0) await ask(runner);
      gates.shift()?.();
    }
    store.load = load;
    await waitUntil(async () => (await countRuns(runner, "running")) === 11);
    expect(most).toBe(4);
  });

  it("loads the threads of four agents' turns at a time", async (test) => {
    const gates: (() => void)[] = [];
    let most = 0;
    const historyBefore = async () => {
      most = Math.max(most, gates.length + 1);
      await new Promise<void>((resolve) => gates.push(resolve));
      return [];
    };
    const agent = { tools: new ScriptedTools([]), history: { historyBefore }, approvals };
    const runner = await startIdleRunner(test, Number.MAX_SAFE_INTEGER, agent);
    const { connectionString, feed, queue } = runner;
    await askElsewhere(queue, async () => {
      for (let asked = 0; asked < 6; asked += 1) await ask(runner, "user_a", "Hi", agentTurn);
    });
    await execute(connectionString, `update absurd.r_turns set claim_expires_at = now()`);
    feed.reset();
    for (let read = 0; read < 6; read += 1) {
      await waitUntil(() => gates.length === Math.min(4, 6 - read));
      gates.shift()?.();
    }
    expect(most).toBe(4);
  });

  it("reads one at a time while its renewals are late", async (test) => {
    const runner = await startIdleRunner(test);
    const { connectionString, feed, queue, store } = runner;
    await ask(runner);
    await askElsewhere(queue, async () => {
      for (let asked = 0; asked < 3; asked += 1) await ask(runner);
    });
    const renew = queue.renew.bind(queue);
    let renewals = 0;
    queue.renew = async (ids) => {
      await delay(1000);
      renewals += 1;
      return renew(ids);
    };
    const load = store.load.bind(store);
    let [loading, most, loaded] = [0, 0, 0];
    store.load = async (id) => {
      most = Math.max(most, (loading += 1));
      await delay(100);
      loading -= 1;
      loaded += 1;
      return load(id);
    };
    await waitUntil(() => renewals > 0);
    await execute(
      connectionString,
      `update absurd.r_turns set claim_expires_at = now() where "claimed_by" = 'another process'`,
    );
    feed.reset();
    await waitUntil(() => loaded === 3);
    expect(most).toBe(1);
  });
});

describe.concurrent("the memory of a process", () => {
  it("counts the threads of its turns", async (test) => {
    const historyBefore: AgentHistoryReader["historyBefore"] = async (_turn, hold) => {
      hold(1_000_000);
      return [];
    };
    const agent = { tools: new ScriptedTools([]), history: { historyBefore }, approvals };
    const runner = await startIdleRunner(test, 1_000_000, agent);
    const first = await ask(runner, "user_a", "Hi", agentTurn);
    await waitUntil(() => runner.isThinking());
    await ask(runner, "user_b");
    expect(await countRuns(runner, "pending")).toBe(1);
    runner.feed.announce({ table: "turn_ends", id: first, accountId: "user_a" });
    await waitUntil(async () => (await countRuns(runner, "pending")) === 0);
  });

  it("bounds its turns and the turns of each account", async (test) => {
    const mostBytes = 200_000;
    const runner = await startIdleRunner(test, mostBytes);
    const input = "x".repeat(10_000);
    // Each has some 14 000 bytes, sealed.
    const accounts = ["a", "b", "c", "d", "e"].map((name) => `user_${name}`);
    await Promise.all(accounts.flatMap((id) => [1, 2, 3, 4].map(() => ask(runner, id, input))));
    const held = await selectRows(
      runner.connectionString,
      `select sum("bytes")::float8 as "bytes" from "absurd"."r_turns" where "state" = $1
       group by "account_id"`,
      "running",
    );
    const bytes = held.map((row) => Number(row["bytes"]));
    expect(bytes).toHaveLength(accounts.length);
    expect(Math.max(...bytes)).toBeLessThanOrEqual(mostBytes / 4);
    const all = bytes.reduce((sum, one) => sum + one, 0);
    expect(all).toBeLessThanOrEqual(mostBytes);
    expect(all).toBeGreaterThan(mostBytes / 2);
  });

  it("promises no memory to a new turn while it claims turns with all of it", async (test) => {
    const { runner, queue, ...others } = await startIdleRunner(test, 1_000_000);
    await ask({ runner, queue, ...others });
    const reserved = Promise.withResolvers<unknown>();
    queue.claim = async () => {
      reserved.resolve(runner.reserve(1));
      return [];
    };
    runner.wake();
    expect(await reserved.promise).toBeUndefined();
  });

  it("promises each of its places to one turn that is being stored", async (test) => {
    const { runner } = await startIdleRunner(test);
    const slots = Array.from({ length: 300 }, () => runner.reserve(1));
    const places = slots.map((slot) => slot?.worker.freePlaces ?? 0);
    expect(places).toEqual(Array.from({ length: 300 }, (_, at) => Math.max(0, 256 - at)));
    for (const slot of slots) slot?.release();
    expect(runner.reserve(1)?.worker.freePlaces).toBe(256);
  });

  it("takes a waiting turn when another has ended", async (test) => {
    const runner = await startIdleRunner(test, 20_000);
    const input = "x".repeat(100_000);
    const first = await ask(runner, "user_a", input);
    await ask(runner, "user_b", input);
    expect(await countRuns(runner, "pending")).toBe(1);
    runner.feed.announce({ table: "turn_ends", id: first, accountId: "user_a" });
    await waitUntil(async () => (await countRuns(runner, "pending")) === 0);
    expect(await countRuns(runner, "running")).toBe(1);
  });
});
