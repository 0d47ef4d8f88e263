/** Statements that starts and look-ups of turns send. */
import { randomBytes, randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildResponsesQueuedResponse } from "../../src/dialect/responses/queued-response.ts";
import { SecretBox } from "../../src/platform/crypto/secret-box.ts";
import { openMigratedDatabase, type Database } from "../../src/platform/database/database.ts";
import { TurnEventBatchEntity } from "../../src/turn/turn-event-batch.entity.ts";
import { InProcessTurnNotifier } from "../../src/turn/turn-notifier.ts";
import { TurnQueue } from "../../src/turn/turn-queue.ts";
import { TurnStore } from "../../src/turn/turn-store.ts";
import { DurableTurnEntity } from "../../src/turn/turn.entity.ts";
import { DatabaseTurnService } from "../../src/turn/turns.ts";
import { FakeFeed } from "../support/fake-feed.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";

const statements: string[] = [];
let testDatabase: TestDatabase;
let database: Database;
let store: TurnStore;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await openMigratedDatabase({
    ...testDatabase,
    entities: [DurableTurnEntity, TurnEventBatchEntity],
    log: pino({ level: "silent" }),
    statementObserver: (sql) => void statements.push(sql),
  });

  const box = new SecretBox([randomBytes(32)]);
  store = new TurnStore({
    fork: () => database.fork(),
    box,
    clock: Date,
    days: 30,
    threadsDays: 30,
  });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

it("a look-up of a text that is too long for an id sends no statement", async () => {
  statements.length = 0;
  expect(await store.isRunning("user_a", "r".repeat(1_000_000))).toBe(false);
  expect(statements).toEqual([]);
});

it("turns of one account are sent to the database one after the other, whatever others start", async () => {
  const feed = new FakeFeed();
  const queue = new TurnQueue({ runPrepared: database.runPrepared, feed });
  const running = new Map<string, number>();
  let [mostOfOne, mostOfAll] = [0, 0];
  const begin = queue.start.bind(queue);
  queue.start = async (row, bounds, worker) => {
    running.set(row.accountId, (running.get(row.accountId) ?? 0) + 1);
    mostOfOne = Math.max(mostOfOne, ...running.values());
    mostOfAll = Math.max(
      mostOfAll,
      [...running.values()].reduce((sum, one) => sum + one, 0),
    );
    const started = await begin(row, bounds, worker);
    running.set(row.accountId, (running.get(row.accountId) ?? 0) - 1);
    return started;
  };
  const notifier = new InProcessTurnNotifier();
  const turns = new DatabaseTurnService({ store, queue, feed, notifier, worker: () => undefined });
  const accounts = ["user_a", "user_b", "user_c"];
  const starts = accounts.flatMap((accountId) =>
    Array.from({ length: 8 }, () => {
      const id = `turn_${randomUUID()}`;
      const request = { requestId: "r", address: "::1", callId: "c", headers: {}, body: "Hi" };
      const response = buildResponsesQueuedResponse({ id, created: 1, body: { model: "m" } });
      return turns.start({ id, accountId, keyId: "key", request, input: [], response });
    }),
  );
  await Promise.all(starts);
  expect({ mostOfOne, mostOfAll }).toEqual({ mostOfOne: 1, mostOfAll: accounts.length });
});
