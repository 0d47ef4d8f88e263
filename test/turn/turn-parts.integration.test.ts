import { randomBytes, randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

let testDatabase: TestDatabase;
let database: Database;
let store: TurnStore;
let turns: DatabaseTurnService;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const entities = [DurableTurnEntity, TurnEventBatchEntity];
  const log = pino({ level: "silent" });
  database = await openMigratedDatabase({ ...testDatabase, entities, log });
  const feed = new FakeFeed();
  const fork = () => database.fork();
  const queue = new TurnQueue({ runPrepared: database.runPrepared, feed });
  const box = new SecretBox([randomBytes(32)]);
  store = new TurnStore({ fork, box, clock: Date, days: 30, threadsDays: 30 });
  const notifier = new InProcessTurnNotifier();
  turns = new DatabaseTurnService({ store, queue, feed, notifier, worker: () => undefined });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const text = (bytes: number) => "x".repeat(bytes);
const [large, small] = [600_000, 10];

/** Stores a turn with so many bytes of input. */
async function start(inputBytes: number): Promise<string> {
  const id = `turn_${randomUUID()}`;
  const body = { model: "custom/box/m", input: text(inputBytes) };
  const request = { requestId: "req", address: "::1", callId: "call_1", headers: {} };
  await turns.start({
    id,
    accountId: "user_1",
    keyId: `key_${randomUUID()}`,
    request: { ...request, body: JSON.stringify(body) },
    input: [{ type: "message", role: "user", content: body.input }],
    response: buildResponsesQueuedResponse({ id, created: 1, body }),
  });
  return id;
}

/** Ends a turn with so many bytes of output. */
async function end(id: string, outputBytes: number): Promise<void> {
  const response = { id, status: "completed", output: [{ text: text(outputBytes) }] };
  const told = { first: 2, frames: ["data: {}\n\n"] };
  await store.end(database.fork(), id, await store.sealEnd(id, response, told));
}

/** Counts the bytes of loads. */
function counting() {
  const held: number[] = [];
  const hold = (bytes: number) => {
    held.push(bytes);
    return () => undefined;
  };
  return { held, context: { hold, signal: new AbortController().signal } };
}

describe("a part of a turn", () => {
  it("is its response as it stands, without the request", async () => {
    const id = await start(large);
    const { held, context } = counting();
    const before = await turns.findResponse("user_1", id, context);
    expect(before).toMatchObject({ response: { id, object: "response", status: "queued" } });
    await store.requestEnd("user_1", id);
    expect((await turns.findResponse("user_1", id, context))?.response["status"]).toBe("cancelled");
    await end(id, small);
    const after = await turns.findResponse("user_1", id, context);
    expect(after?.response).toEqual({ id, status: "completed", output: [{ text: text(small) }] });
    expect(held).toEqual([]);
  });

  it("is counted where it is large", async () => {
    const id = await start(large);
    await end(id, large);
    const { held, context } = counting();
    expect((await turns.findResponse("user_1", id, context))?.response["status"]).toBe("completed");
    expect(held).toHaveLength(1);
    expect(held[0]).toBeGreaterThanOrEqual(large);
    expect(await turns.findInput("user_1", id, context)).toMatchObject([{ content: text(large) }]);
    expect(held).toHaveLength(2);
  });

  it("is its input, without the response", async () => {
    const id = await start(small);
    await end(id, large);
    const { held, context } = counting();
    expect(await turns.findInput("user_1", id, context)).toMatchObject([{ content: text(small) }]);
    expect(held).toEqual([]);
  });

  it("is its state, without either, and its place in the queue", async () => {
    const id = await start(large);
    expect(await turns.findState("user_1", id)).toEqual({ queuePosition: expect.any(Number) });
    await end(id, large);
    expect(await turns.findState("user_1", id)).toEqual({ queuePosition: undefined });
  });

  it("is of its account alone, and gone with the turn", async () => {
    const id = await start(small);
    const { context } = counting();
    const find = (account: string) =>
      Promise.all([
        turns.findState(account, id),
        turns.findResponse(account, id, context),
        turns.findInput(account, id, context),
        turns.find(account, id, context),
      ]);
    const none = [undefined, undefined, undefined, undefined];
    expect(await find("user_2")).toEqual(none);
    await store.delete("user_1", id);
    expect(await find("user_1")).toEqual(none);
  });
});
