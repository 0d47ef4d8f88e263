import { randomBytes, randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildResponsesQueuedResponse } from "../../src/dialect/responses/queued-response.ts";
import { SecretBox } from "../../src/platform/crypto/secret-box.ts";
import { openMigratedDatabase, type Database } from "../../src/platform/database/database.ts";
import { serializeSseEvent } from "../../src/platform/sse/serialize-event.ts";
import { restoreTurnFromEvents } from "../../src/turn/restore-turn.ts";
import { TurnEventBatchEntity } from "../../src/turn/turn-event-batch.entity.ts";
import { InProcessTurnNotifier } from "../../src/turn/turn-notifier.ts";
import { TurnQueue, type ClaimedTurn } from "../../src/turn/turn-queue.ts";
import { TurnStore } from "../../src/turn/turn-store.ts";
import { DurableTurnEntity } from "../../src/turn/turn.entity.ts";
import { DatabaseTurnService } from "../../src/turn/turns.ts";
import { FakeFeed } from "../support/fake-feed.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";

const mebibyte = 1024 * 1024;
const batches = 40;
const pieceCharacters = mebibyte / 4;
const id = `turn_${randomUUID()}`;
const piece = { type: "response.output_text.delta", item_id: "msg_1", output_index: 0 };

let testDatabase: TestDatabase;
let database: Database;
let queue: TurnQueue;
let store: TurnStore;
let turns: DatabaseTurnService;
let claim: ClaimedTurn;

/** A turn of 10 MiB, of whose batches each has a quarter of one. */
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const entities = [DurableTurnEntity, TurnEventBatchEntity];
  database = await openMigratedDatabase({
    ...testDatabase,
    entities,
    log: pino({ level: "silent" }),
  });
  const feed = new FakeFeed();
  const fork = () => database.fork();
  queue = new TurnQueue({ runPrepared: database.runPrepared, feed });
  const box = new SecretBox([randomBytes(32)]);
  store = new TurnStore({ fork, box, clock: Date, days: 30, threadsDays: 30 });
  const news = new InProcessTurnNotifier();
  turns = new DatabaseTurnService({ store, queue, feed, notifier: news, worker: () => undefined });
  const request = { requestId: "req", address: "::1", callId: "call_1", headers: {}, body: "{}" };
  const response = buildResponsesQueuedResponse({ id, created: 1, body: { model: "m" } });
  await turns.start({ id, accountId: "user_1", keyId: "key_1", request, input: [], response });
  const [taken] = await queue.claim({ workerId: "worker", freePlaces: 1 });
  if (taken === undefined) throw new Error("nothing to claim");
  claim = taken;
  await queue.recordStep(claim, "call_1 begins", { callId: "call_1", toldBefore: 12 });
  for (let batch = 0; batch < batches; batch += 1) await append(batch + 2);
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

async function append(sequence: number): Promise<void> {
  const event = { ...piece, sequence_number: sequence, delta: "x".repeat(pieceCharacters) };
  const frames = [serializeSseEvent(event, piece.type)];
  await queue.append(claim, sequence, sequence, await store.sealFrames(id, sequence, frames));
}

describe("a turn of many events", () => {
  it("is read in pages of bounded size, and only the last says that nothing is behind it", async () => {
    const sizes: number[] = [];
    const firsts: number[] = [];
    let after = -1;
    for (let hasMore = true; hasMore;) {
      const page = await store.framesAfter(id, after);
      const told = page?.batches ?? [];
      sizes.push(told.flatMap(({ frames }) => frames).join("").length);
      firsts.push(...told.map(({ first }) => first));
      after = firsts.at(-1) ?? after;
      hasMore = page?.hasMore === true;
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(mebibyte);
    expect(sizes.length).toBeLessThan(batches);
    expect(firsts).toEqual([0, ...Array.from({ length: batches }, (_, batch) => batch + 2)]);
  });

  it("is followed page by page, each asked for when its reader has read the one before", async () => {
    const gone = new AbortController();
    const numbers: number[] = [];
    const followed = { accountId: "user_1", id, after: 3, isStarter: true, wantsWholeEvents: true };
    for await (const frames of turns.follow(followed, gone.signal)) {
      const [, number] = /"sequence_number":(\d+)/.exec(frames.toString()) ?? [];
      numbers.push(Number(number));
      if (numbers.at(-1) === batches + 1) gone.abort();
    }
    expect(numbers).toEqual(Array.from({ length: batches - 2 }, (_, batch) => batch + 4));
  });

  it("is restored whole by the process that takes it over", async () => {
    const restored = await restoreTurnFromEvents({ queue, store }, claim);
    expect(restored?.journal.next).toBe(batches + 2);
    expect(restored?.lost?.sentCharacters).toBe((batches - 10) * pieceCharacters);
  });
});
