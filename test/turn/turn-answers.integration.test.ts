/** Answers that turns begin with, in the database. */
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openMigratedDatabase, type Database } from "../../src/platform/database/database.ts";
import { TurnQueue } from "../../src/turn/turn-queue.ts";
import { deleteExpiredTurns, eraseTurns } from "../../src/turn/delete-turns.ts";
import { databaseEntities } from "../../src/app/entities.ts";
import { FakeFeed } from "../support/fake-feed.ts";
import { createTestDatabase, execute, type TestDatabase } from "../support/test-database.ts";

const log = pino({ level: "silent" });
const now = new Date("2026-11-24T12:00:00Z");
const expiresAt = new Date("2026-12-24T12:00:00Z");
let testDatabase: TestDatabase;
let database: Database;
let queue: TurnQueue;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await openMigratedDatabase({ ...testDatabase, entities: databaseEntities, log });
  queue = new TurnQueue({ runPrepared: database.runPrepared, feed: new FakeFeed() });
});
beforeEach(() =>
  execute(
    testDatabase.connectionString,
    "truncate absurd.t_turns, absurd.r_turns, turns, agent_threads, turn_answers cascade",
  ),
);
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

interface Start {
  readonly id: string;
  readonly asked: readonly string[];
  readonly session?: string;
  readonly most?: number;
  readonly accountId?: string;
  /** The turn that the caller has seen last in its thread. */
  readonly lastTurn?: string;
}

async function start({ id, asked, session = id, most = 100, ...rest }: Start) {
  const { accountId = "user_a", lastTurn } = rest;
  const sealed = { content: "sealed", frames: "sealed", format: 1, lastSequence: 1 };
  const isNew = lastTurn === undefined;
  const thread = { id: `thread_${session}`, session, isNew, history: undefined, lastTurn };
  const answers = asked.map((name) => ({ asked: name, verdict: "approved" as const }));
  const row = { id, accountId, keyId: "key_a", ...sealed, createdAt: now, expiresAt };
  const started = await queue.start(
    { ...row, thread, answers },
    { perKey: most, perAccount: most },
  );
  return started.start;
}

async function kept(): Promise<readonly string[]> {
  const rows = await database
    .fork()
    .execute<{ asked: string }[]>(`select "asked" from "turn_answers" order by "asked"`);
  return rows.map(({ asked }) => asked);
}

describe("a turn of a thread", () => {
  it.each([
    ["with answers", ["a"]],
    ["without", []],
  ])("starts, %s, only behind the turn that its caller has seen last", async (_, asked) => {
    const session = "s";
    await start({ id: "turn_1", asked: [], session });
    await end("turn_1");
    expect(await start({ id: "turn_2", asked: [], session, lastTurn: "turn_1" })).toBe("started");
    await end("turn_2");
    expect(await start({ id: "turn_3", asked, session, lastTurn: "turn_1" })).toBe("busy");
    expect(await start({ id: "turn_3", asked, session, lastTurn: "turn_2" })).toBe("started");
  });
});

async function end(id: string): Promise<void> {
  await database.fork().execute(`update "turns" set "ended_at" = now() where "id" = ?`, [id]);
}

describe("a turn that begins with answers", () => {
  it("starts once for each answer, in whatever order many bring them at a time", async () => {
    const starts = Array.from({ length: 12 }, (_, index) =>
      start({ id: `turn_${index}`, asked: index % 2 === 0 ? ["a", "b"] : ["b", "a"] }),
    );
    const made = await Promise.all(starts);
    expect(made.toSorted()).toEqual([...Array<string>(11).fill("answered"), "started"]);
    expect(await kept()).toEqual(["a", "b"]);
    expect(await start({ id: "turn_other", asked: ["a"], accountId: "user_b" })).toBe("started");
  });

  it("leaves no answer behind when it does not start", async () => {
    expect(await start({ id: "turn_1", asked: ["a"], session: "s" })).toBe("started");
    expect(await start({ id: "turn_2", asked: ["b", "c"], session: "s" })).toBe("busy");
    expect(await start({ id: "turn_3", asked: ["b", "d"], most: 1 })).toBe("key full");
    expect(await start({ id: "turn_4", asked: ["b", "a"] })).toBe("answered");
    expect(await kept()).toEqual(["a"]);
    expect(await start({ id: "turn_5", asked: ["b"] })).toBe("started");
  });

  it("keeps its answers until they expire, and longer while its thread has turns", async () => {
    await start({ id: "turn_1", asked: ["a"] });
    await start({ id: "turn_2", asked: ["b"] });
    await database.fork().execute(`delete from "turns" where "id" = 'turn_1'`);
    await deleteExpiredTurns(database.fork(), expiresAt.getTime() - 1);
    expect(await kept()).toEqual(["a", "b"]);
    await deleteExpiredTurns(database.fork(), expiresAt.getTime());
    expect(await kept()).toEqual(["b"]);
    await eraseTurns(database.fork(), "user_a");
    expect(await kept()).toEqual([]);
  });
});
