import { createHash, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { DatabaseChangeFeed } from "../../src/platform/database/change-feed.ts";
import { openMigratedDatabase, type Database } from "../../src/platform/database/database.ts";
import { TurnLeaseLostError } from "../../src/turn/turn-lease-lost-error.ts";
import {
  TurnQueue,
  type ClaimedTurn,
  type TurnConcurrencyLimits,
} from "../../src/turn/turn-queue.ts";
import { turnLeaseSeconds } from "../../src/turn/turn-statements.ts";
import { FakeFeed } from "../support/fake-feed.ts";
import { createTestDatabase, execute, type TestDatabase } from "../support/test-database.ts";

const log = pino({ level: "silent" });
let testDatabase: TestDatabase;
let database: Database;
let queue: TurnQueue;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await openMigratedDatabase({ ...testDatabase, entities: [], log });
  queue = new TurnQueue({ runPrepared: database.runPrepared, feed: new FakeFeed() });
});
beforeEach(() => write("truncate absurd.t_turns, absurd.r_turns, turns cascade"));
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function write(sql: string): Promise<void> {
  return execute(testDatabase.connectionString, sql);
}

const many = { perKey: 100_000, perAccount: 100_000 };

/** What a worker with room for 256 takes. */
function claim(workerId: string, most: number): Promise<readonly ClaimedTurn[]> {
  return queue.claim({ workerId, freePlaces: 256 }, most);
}

async function start(
  id: string,
  bounds: TurnConcurrencyLimits = many,
  owner: object = {},
): Promise<boolean> {
  const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + 60_000)];
  const sealed = { content: "sealed", frames: "sealed", format: 1, lastSequence: 1 };
  const row = {
    id,
    accountId: "user_a",
    keyId: "key_a",
    ...sealed,
    createdAt,
    expiresAt,
    ...owner,
  };
  const { start: made } = await queue.start(row, bounds);
  return made === "started";
}

async function spawn(turnId = `turn_${randomUUID()}`): Promise<string> {
  expect(await start(turnId)).toBe(true);
  return turnId;
}

async function claimOne(workerId: string): Promise<ClaimedTurn> {
  const [turn] = await claim(workerId, 1);
  if (turn === undefined) throw new Error("nothing to claim");
  return turn;
}

/** As if its worker had been silent for the length of the lease. */
async function expire({ runId }: ClaimedTurn): Promise<void> {
  await write(
    `update absurd.r_turns set claim_expires_at = clock_timestamp() where run_id = '${runId}'`,
  );
}

function hold({ runId }: ClaimedTurn): Promise<void> {
  return database.fork().transactional((em) => queue.assertLease(em, runId));
}

function complete({ runId }: ClaimedTurn): Promise<void> {
  return database.fork().transactional((em) => queue.complete(em, runId));
}

test("the engine's SQL is the released one, byte for byte", async () => {
  const file = new URL("../../src/app/migrations/absurd-0.5.1/absurd.sql", import.meta.url);
  const text = await readFile(file, "utf8");
  const released = text.slice(text.indexOf("-- Absurd installs"));
  expect(createHash("sha256").update(released).digest("hex")).toBe(
    "9119e6ae8cee54e3aca5d98bb3279bded79e44cc82d02fdff83bbc95d6c7d0dc",
  );
});

test("a turn is stored and put in the queue once, or not at all", async () => {
  const starts = await Promise.allSettled([1, 2, 3].map(() => start("turn_a")));
  expect(starts.map(({ status }) => status).toSorted()).toEqual([
    "fulfilled",
    "rejected",
    "rejected",
  ]);
  expect(await claim("one", 10)).toMatchObject([{ attempt: 1, turnId: "turn_a" }]);
  const stored = await database
    .fork()
    .execute("select * from turns join turn_batches on turn_id = turns.id");
  expect(stored).toMatchObject([{ status: "queued", last_sequence: 1, first_sequence: 0 }]);
});

test("a key has no more turns than it may, however many come at once", async () => {
  const starts = [1, 2, 3, 4, 5].map((number) => start(`turn_${number}`, { ...many, perKey: 2 }));
  expect((await Promise.all(starts)).filter(Boolean)).toHaveLength(2);
  expect(await claim("one", 10)).toHaveLength(2);
  await write("update turns set ended_at = now() where id = (select min(id) from turns)");
  expect(await start("turn_6", { ...many, perKey: 2 })).toBe(true);
});

test("nothing more is kept of a turn that was deleted while it ran, and its run can still end", async () => {
  const turnId = await spawn();
  const claim = await claimOne("one");
  await write(`delete from turns where id = '${turnId}'`);
  await queue.append(claim, 2, 3, "sealed");
  expect(await database.fork().execute("select * from turn_batches")).toEqual([]);
  await complete(claim);
});

test("two workers never claim the same turn", async () => {
  const turns = await Promise.all(Array.from({ length: 60 }, () => spawn()));
  const claims = Array.from({ length: 20 }, (_, index) => claim(`worker ${index % 2}`, 3));
  const claimed = (await Promise.all(claims)).flat().map(({ turnId }) => turnId);
  expect(claimed.toSorted()).toEqual(turns.toSorted());
});

test("a lease that ran out is claimed by another at once, and the first can neither hold nor complete", async () => {
  const turnId = await spawn();
  const first = await claimOne("one");
  expect(await claim("two", 1)).toEqual([]);
  await expire(first);
  const second = await claimOne("two");
  expect(second).toMatchObject({ turnId, taskId: first.taskId, attempt: 2 });
  await expect(hold(first)).rejects.toThrow(TurnLeaseLostError);
  await expect(complete(first)).rejects.toThrow(TurnLeaseLostError);
  await hold(second);
  await complete(second);
  expect(await claim("one", 1)).toEqual([]);
  expect(await queue.outlook()).toEqual({ leaseMs: undefined, hasWaiting: false });
});

test("nobody takes a turn while a transaction holds it, and what a loser writes is undone", async () => {
  await write("create table if not exists written (worker text)");
  await spawn();
  const first = await claimOne("one");
  await expire(first);
  await database.fork().transactional(async (em) => {
    await queue.assertLease(em, first.runId);
    expect(await claim("two", 1)).toEqual([]);
  });
  await expire(first);
  await claimOne("two");
  const late = database.fork().transactional(async (em) => {
    await em.execute("insert into written values ('one')");
    await queue.assertLease(em, first.runId);
  });
  await expect(late).rejects.toThrow(TurnLeaseLostError);
  expect(await database.fork().execute("select * from written")).toEqual([]);
});

test("a turn that ended, or was cancelled, or never was, is lost", async () => {
  await Promise.all([spawn(), spawn()]);
  const [ended, cancelled] = await claim("one", 2);
  if (ended === undefined || cancelled === undefined) throw new Error("two turns were spawned");
  await complete(ended);
  await write(`select absurd.cancel_task('turns', '${cancelled.taskId}')`);
  for (const turn of [ended, cancelled, { ...ended, runId: randomUUID() }]) {
    await expect(hold(turn)).rejects.toThrow(TurnLeaseLostError);
    await expect(complete(turn)).rejects.toThrow(TurnLeaseLostError);
  }
});

test("a failure that is none of the turn's is passed on", async () => {
  await expect(
    database.fork().transactional((em) => queue.assertLease(em, "no uuid")),
  ).rejects.toMatchObject({ code: "22P02" });
});

test("renewing keeps turns for the whole lease and tells which were lost, whatever happens to others", async () => {
  await Promise.all([spawn(), spawn(), spawn()]);
  const claimed = await claim("one", 3);
  const [kept, taken, ended] = claimed;
  if (kept === undefined || taken === undefined || ended === undefined)
    throw new Error("three turns were spawned");
  await complete(ended);
  await expire(taken);
  await claimOne("two");
  await expire(kept);
  const { lost } = await queue.renew(claimed.map(({ runId }) => runId));
  expect(lost.toSorted()).toEqual([taken.runId, ended.runId].toSorted());
  expect(await claim("two", 3)).toEqual([]);
  await hold(kept);
});

test("renewing does not wait for a transaction that holds one of the turns", async () => {
  await Promise.all([spawn(), spawn()]);
  const [held, other] = await claim("one", 2);
  if (held === undefined || other === undefined) throw new Error("two turns were spawned");
  await database.fork().transactional(async (em) => {
    await queue.assertLease(em, held.runId);
    await expire(other);
    expect(await queue.renew([held.runId, other.runId])).toEqual({ lost: [] });
  });
  expect(await claim("two", 2)).toEqual([]);
});

test("the outlook tells the earliest end of a lease, and whether a turn waits", async () => {
  expect(await queue.outlook()).toEqual({ leaseMs: undefined, hasWaiting: false });
  await Promise.all([spawn(), spawn()]);
  expect(await queue.outlook()).toEqual({ leaseMs: undefined, hasWaiting: true });
  const [first] = await claim("one", 2);
  if (first === undefined) throw new Error("two turns were spawned");
  const { leaseMs: rest = 0 } = await queue.outlook();
  expect(rest).toBeGreaterThan((turnLeaseSeconds - 1) * 1000);
  expect(rest).toBeLessThanOrEqual(turnLeaseSeconds * 1000);
  await expire(first);
  expect(await queue.outlook()).toEqual({ leaseMs: 0, hasWaiting: false });
});

test("idle workers of every process are woken by a turn that waits, and by a feed that may have missed one", async () => {
  const feed = new DatabaseChangeFeed({ ...testDatabase, log });
  closing.push(() => feed.close());
  await feed.start();
  const woken = Promise.withResolvers<void>();
  const fake = new FakeFeed();
  let resets = 0;
  new TurnQueue({ runPrepared: database.runPrepared, feed }).onWaiting(woken.resolve);
  new TurnQueue({ runPrepared: database.runPrepared, feed: fake }).onWaiting(() => (resets += 1));
  await spawn();
  await woken.promise;
  fake.reset();
  expect(resets).toBe(1);
});
