import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openMigratedDatabase, type Database } from "../../src/platform/database/database.ts";
import {
  TurnQueue,
  type ClaimedTurn,
  type TurnWorkerCapacity,
  type TurnConcurrencyLimits,
} from "../../src/turn/turn-queue.ts";
import { FakeFeed } from "../support/fake-feed.ts";
import { createTestDatabase, execute, type TestDatabase } from "../support/test-database.ts";

const log = pino({ level: "silent" });
const many: TurnConcurrencyLimits = { perKey: 100_000, perAccount: 100_000 };
const places = 256;
let testDatabase: TestDatabase;
/** As two processes have them. */
const databases: Database[] = [];
const queues: TurnQueue[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  for (let process = 0; process < 2; process += 1) {
    const database = await openMigratedDatabase({ ...testDatabase, entities: [], log });
    databases.push(database);
    queues.push(new TurnQueue({ runPrepared: database.runPrepared, feed: new FakeFeed() }));
  }
});
beforeEach(() => write("truncate absurd.t_turns, absurd.r_turns, turns cascade"));
afterAll(async () => {
  for (const database of databases) await database.close();
  await testDatabase.drop();
});

function write(sql: string): Promise<void> {
  return execute(testDatabase.connectionString, sql);
}

function queueOf(process: number): TurnQueue {
  const queue = queues[process % queues.length];
  if (queue === undefined) throw new Error("There is no process.");
  return queue;
}

interface Started {
  readonly id: string;
  readonly start: string;
  readonly claim: ClaimedTurn | undefined;
}

interface StartOptions {
  readonly bounds?: TurnConcurrencyLimits;
  readonly keyId?: string;
  readonly process?: number;
  /** The size of its sealed content. */
  readonly bytes?: number;
  readonly worker?: TurnWorkerCapacity;
}

async function start(
  accountId: string,
  {
    bounds = many,
    keyId = `key of ${accountId}`,
    process = 0,
    bytes = 6,
    worker,
  }: StartOptions = {},
): Promise<Started> {
  const id = `turn_${accountId}_${randomUUID()}`;
  const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + 60_000)];
  const sealed = { content: "s".repeat(bytes), frames: "sealed", format: 1, lastSequence: 1 };
  const row = { id, accountId, keyId, ...sealed, createdAt, expiresAt };
  return { id, ...(await queueOf(process).start(row, bounds, worker)) };
}

/** Turns of an account that wait, as if they had been asked for one after the other. */
async function startMany(accountId: string, count: number): Promise<void> {
  await write(`
    insert into turns (id, account_id, key_id, status, format, content, last_sequence, created_at, expires_at)
      select 'turn_${accountId}_' || number, '${accountId}', 'key', 'queued', 1, '', 0, now(), now() + interval '1 hour'
      from generate_series(1, ${count}) as number;
    select absurd.spawn_task('turns', 'turn', jsonb_build_object('turn_id', 'turn_${accountId}_' || number),
        jsonb_build_object('idempotency_key', 'turn_${accountId}_' || number))
      from generate_series(1, ${count}) as number`);
}

/**
 * Extends the leases of these claims alone: two updates of all leases of a worker deadlock. No
 * process of a test renews them, and an expired one is claimed before all else.
 */
async function extendLeases(claims: readonly ClaimedTurn[]): Promise<void> {
  if (claims.length === 0) return;
  const runIds = claims.map(({ runId }) => `'${runId}'`).join(", ");
  await write(`update absurd.r_turns set claim_expires_at = now() + interval '1 hour'
    where run_id in (${runIds}) and state = 'running' and claim_expires_at > now()`);
}

/** A worker of a process, and what it has taken. */
class Worker {
  readonly #process: number;
  readonly #id = randomUUID();
  readonly claims: ClaimedTurn[] = [];

  constructor(process: number) {
    this.#process = process;
  }

  get free(): { readonly workerId: string; readonly freePlaces: number } {
    return { workerId: this.#id, freePlaces: places - this.claims.length };
  }

  async claim(most?: number): Promise<readonly ClaimedTurn[]> {
    const claims = await queueOf(this.#process).claim(this.free, most);
    this.claims.push(...claims);
    await extendLeases(claims);
    return claims;
  }

  async complete({ runId }: ClaimedTurn): Promise<void> {
    const [database] = databases;
    await database?.fork().transactional((em) => queueOf(this.#process).complete(em, runId));
    this.claims.splice(
      this.claims.findIndex((claim) => claim.runId === runId),
      1,
    );
  }
}

function accountsOf(claims: readonly ClaimedTurn[]): readonly string[] {
  return claims.map(({ turnId }) => turnId.split("_")[1] ?? "");
}

describe("claims of waiting turns", () => {
  it("give an account with thousands of turns half of each process, and others a place at once", async () => {
    await startMany("greedy", 3000);
    const workers = [new Worker(0), new Worker(1)];
    await Promise.all(workers.map((worker) => worker.claim()));
    await Promise.all(workers.map((worker) => worker.claim()));
    expect(workers.map(({ claims }) => claims.length)).toEqual([places / 2, places / 2]);
    const others = Array.from({ length: 20 }, (_, index) => `other${index}`);
    for (const other of others) await start(other);
    const taken = (await Promise.all(workers.map((worker) => worker.claim()))).flat();
    expect([...accountsOf(taken)].toSorted()).toEqual(others.toSorted());
  });

  it("leave a place to each account that comes, though those before it want all", async () => {
    const worker = new Worker(0);
    for (const account of ["a", "b", "c", "d", "e", "f", "g"]) {
      await startMany(account, 300);
      expect(accountsOf(await worker.claim())).toContain(account);
    }
    expect(worker.free.freePlaces).toBeGreaterThan(0);
  });

  it("go round the accounts that hold the fewest places, oldest turn first", async () => {
    for (const account of ["a", "a", "a", "a", "b", "b", "c"]) await start(account);
    const worker = new Worker(0);
    expect(accountsOf(await worker.claim(4)).toSorted()).toEqual(["a", "a", "b", "c"]);
    const first = worker.claims.find(({ turnId }) => turnId.includes("_c_"));
    if (first === undefined) throw new Error("c has no turn");
    await worker.complete(first);
    await start("c");
    expect(accountsOf(await worker.claim(1))).toEqual(["c"]);
    expect(accountsOf(await worker.claim(1))).toEqual(["b"]);
  });

  it("give an account its share again as its turns end", async () => {
    await startMany("greedy", 200);
    const worker = new Worker(0);
    await worker.claim();
    expect(await worker.claim()).toEqual([]);
    for (const claim of worker.claims.slice(0, 3)) await worker.complete(claim);
    expect(await worker.claim()).not.toEqual([]);
  });

  it("take over orphaned turns before all others, whoever's they are", async () => {
    await startMany("greedy", 400);
    const [lost, living] = [new Worker(0), new Worker(1)];
    await lost.claim();
    await living.claim();
    await start("other");
    await write(`update absurd.r_turns set claim_expires_at = now()
      where claimed_by = '${lost.free.workerId}'`);
    const taken = await living.claim();
    expect(taken.filter(({ attempt }) => attempt === 2)).toHaveLength(places / 2);
  });

  it("let every worker have turns that no other has, when they claim at the same time", async () => {
    await Promise.all([startMany("a", 100), startMany("b", 100)]);
    const workers = [0, 1, 2, 3].map((process) => new Worker(process));
    await Promise.all(workers.flatMap((worker) => [1, 2, 3].map(() => worker.claim(10))));
    const turns = workers.flatMap(({ claims }) => claims.map(({ turnId }) => turnId));
    expect(turns).toHaveLength(120);
    expect(new Set(turns)).toHaveLength(120);
  });
});

describe("claims by starts", () => {
  it("return each turn that they claim, while others store turns without a claim", async () => {
    const memory = { bytes: 1_000_000, accountBytes: 1_000_000, isIdle: false };
    const worker = { workerId: "one", freePlaces: places, memory };
    const starts = Array.from({ length: 400 }, (_, number) =>
      start(`account${number % 5}`, { process: number, ...(number % 2 === 0 ? { worker } : {}) }),
    );
    const started = await Promise.all(starts);
    const rest = await queueOf(0).claim({ workerId: "rest", freePlaces: 1000, memory });
    const claims = [...started.flatMap(({ claim }) => claim ?? []), ...rest];
    const firstClaims = claims.filter(({ attempt }) => attempt === 1).map(({ turnId }) => turnId);
    expect(firstClaims.toSorted()).toEqual(started.map(({ id }) => id).toSorted());
  });
});

/** Turns whose sealed content has so many bytes. */
async function startLarge(accountId: string, count: number, bytes: number): Promise<void> {
  for (let started = 0; started < count; started += 1) await start(accountId, { bytes });
}

function claimBytes(
  workerId: string,
  bytes: number,
  isIdle = false,
): Promise<readonly ClaimedTurn[]> {
  const memory = { bytes, accountBytes: 300, isIdle };
  return queueOf(0).claim({ workerId, freePlaces: places, memory });
}

describe("the memory of a worker", () => {
  it("takes no more of an account than its share, with what it holds, and of all than there is", async () => {
    await startLarge("greedy", 9, 100);
    await startLarge("other", 9, 100);
    await startLarge("late", 1, 100);
    expect(accountsOf(await claimBytes("one", 400)).toSorted()).toEqual([
      "greedy",
      "greedy",
      "late",
      "other",
    ]);
    expect(accountsOf(await claimBytes("one", 400)).toSorted()).toEqual([
      "greedy",
      "other",
      "other",
    ]);
    expect(await claimBytes("one", 400)).toEqual([]);
    expect(await claimBytes("two", 600)).toHaveLength(6);
  });

  it("takes the first turn of an account and of an idle worker whatever its size", async () => {
    await startLarge("a", 2, 1000);
    expect(await claimBytes("one", 400)).toEqual([]);
    expect(await claimBytes("one", 400, true)).toMatchObject([{ bytes: 1000 }]);
    expect(await claimBytes("one", 4000)).toEqual([]);
    await startLarge("b", 2, 1000);
    expect(accountsOf(await claimBytes("one", 4000))).toEqual(["b"]);
  });

  it("bounds orphaned turns as well", async () => {
    await startLarge("greedy", 3, 100);
    await startLarge("other", 1, 100);
    expect(await claimBytes("lost", 400)).toHaveLength(4);
    await startLarge("greedy", 2, 100);
    await claimBytes("one", 400);
    await write(`update absurd.r_turns set claim_expires_at = now() where claimed_by = 'lost'`);
    await claimBytes("one", 0);
    const taken = await claimBytes("one", 150);
    expect(taken).toMatchObject([{ attempt: 2, bytes: 100 }]);
    const rest = [...taken, ...(await claimBytes("one", 400))];
    expect(accountsOf(rest).toSorted()).toEqual(["greedy", "other"]);
  });

  it("does not hold back a turn that is stored here behind orphaned ones", async () => {
    await startLarge("a", 1, 100);
    expect(await claimBytes("lost", 400)).toHaveLength(1);
    await write(`update absurd.r_turns set claim_expires_at = now()`);
    const memory = { bytes: 100, accountBytes: 300, isIdle: false };
    const worker = { workerId: "one", freePlaces: places, memory };
    const { id, claim } = await start("a", { bytes: 100, worker });
    expect(claim).toMatchObject({ turnId: id, attempt: 1, bytes: 100 });
  });
});

describe("the bound of an account", () => {
  it("counts the turns of all its keys, however many processes start them at once", async () => {
    const bounds = { perKey: 100, perAccount: 7 };
    const starts = Array.from({ length: 24 }, (_, number) =>
      start("a", { bounds, keyId: `key_${number}`, process: number }),
    );
    const results = (await Promise.all(starts)).map((made) => made.start);
    expect(results.filter((result) => result === "started")).toHaveLength(7);
    expect(results.filter((result) => result === "account full")).toHaveLength(17);
    expect((await start("b", { bounds })).start).toBe("started");
    await write("update turns set ended_at = now() where account_id = 'a'");
    expect((await start("a", { bounds })).start).toBe("started");
  });
});

describe("the place of a waiting turn", () => {
  it("stands behind the older turns of its account and as many of each other account", async () => {
    const [first, second, third, other] = [
      await start("a"),
      await start("a"),
      await start("a"),
      await start("b"),
    ];
    const positions = [first, second, third, other].map(({ id }) => queueOf(0).position(id));
    expect(await Promise.all(positions)).toEqual([1, 3, 4, 2]);
    await new Worker(0).claim(1);
    expect(await queueOf(1).position(first.id)).toBeUndefined();
    expect(await queueOf(1).position(other.id)).toBe(2);
  });
});
