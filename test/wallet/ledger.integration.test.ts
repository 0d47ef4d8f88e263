import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseEntities } from "../../src/app/entities.ts";
import { openMigratedDatabase, type Database } from "../../src/platform/database/database.ts";
import type { PreparedStatementRunner } from "../../src/platform/database/prepared-statement.ts";
import { newResourceId } from "../../src/platform/ids.ts";
import { WalletLedger } from "../../src/wallet/ledger.ts";
import type { CreditsReservationRequest, CallTokenUsage } from "../../src/domain/reservation.ts";
import { computeCallCostNano } from "../../src/domain/compute-cost.ts";
import { readWallet } from "../../src/wallet/wallets.ts";
import { ManualClock } from "../account/account-fixture.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";

const log = pino({ level: "silent" });
const price = {
  inputUsdPerMtok: 1,
  outputUsdPerMtok: 2,
  cachedInputUsdPerMtok: 0.1,
  cacheWriteUsdPerMtok: 1.25,
};

let testDatabase: TestDatabase;
/** Two processes on one database. */
let databases: readonly [Database, Database];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const { connectionString } = testDatabase;
  databases = [
    await openMigratedDatabase({ connectionString, entities: databaseEntities, log }),
    await openMigratedDatabase({ connectionString, entities: databaseEntities, log }),
  ];
});

afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await testDatabase.drop();
});

function start() {
  const clock = new ManualClock();
  const byoUrl = () => "http://docs.test/byo";
  const [one, two] = databases.map((database) => {
    const { runPrepared } = database;
    return new WalletLedger({ fork: () => database.fork(), runPrepared, clock, log, byoUrl });
  });
  if (one === undefined || two === undefined) throw new Error("two databases make two ledgers");
  return { clock, one, two };
}

/** On a database that is away for some statements, once a call is reserved. */
async function ledgerOfFailing(accountId: string) {
  const [database] = databases;
  let failures = 0;
  const runPrepared: PreparedStatementRunner = (statement, values) => {
    failures -= 1;
    if (failures < 0) return database.runPrepared(statement, values);
    return Promise.reject(Object.assign(new Error("away"), { code: "ECONNREFUSED" }));
  };
  const parts = { clock: new ManualClock(), log, byoUrl: () => "" };
  const ledger = new WalletLedger({ fork: () => database.fork(), runPrepared, ...parts });
  const reservation = await ledger.reserve(request(accountId));
  return { ledger, reservation, goAway: (statements: number) => void (failures = statements) };
}

async function fill(nano: string): Promise<string> {
  const accountId = newResourceId("user");
  await databases[0].fork().execute(`insert into "wallets" values (?, ?, 0)`, [accountId, nano]);
  return accountId;
}

/** Ten tokens in and twenty out: 50 000 nano-dollars. */
function request(
  accountId: string,
  more: Partial<CreditsReservationRequest> = {},
): CreditsReservationRequest {
  return {
    id: newResourceId("call"),
    accountId,
    keyId: `key_${randomUUID()}`,
    model: "sold",
    price,
    tokens: { input: 10, cacheRead: 0, cacheWrite: 0, output: 20 },
    budget: undefined,
    ...more,
  };
}

const used = (input: number, output: number): CallTokenUsage => ({
  input,
  cacheRead: 0,
  cacheWrite: 0,
  output,
  isEstimated: false,
  raw: { input, output },
});

const wallet = (accountId: string) => readWallet(databases[0].fork(), accountId);

const entry = async (id: string) => {
  const [row] = await databases[0]
    .fork()
    .execute(`select * from "ledger_entries" where "id" = ?`, [id]);
  return row;
};

describe("costNano()", () => {
  it.each([
    [{ input: 1_000_000, cacheRead: 0, cacheWrite: 0, output: 0 }, 1_000_000_000n],
    [{ input: 0, cacheRead: 1_000_000, cacheWrite: 0, output: 0 }, 100_000_000n],
    [{ input: 0, cacheRead: 0, cacheWrite: 1_000_000, output: 0 }, 1_250_000_000n],
    [{ input: 1, cacheRead: 1, cacheWrite: 1, output: 1 }, 4350n],
    [{ input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }, 0n],
  ])("prices the tokens %j", (tokens, nano) => {
    expect(computeCallCostNano(price, tokens)).toBe(nano);
  });

  it("prices caches like other input where the catalogue says nothing, and rounds up", () => {
    const plain = { ...price, cachedInputUsdPerMtok: undefined, cacheWriteUsdPerMtok: undefined };
    const tokens = { input: 1, cacheRead: 1, cacheWrite: 1, output: 0 };
    expect(computeCallCostNano(plain, tokens)).toBe(3000n);
    const cheap = { ...plain, inputUsdPerMtok: 0.0001 };
    expect(computeCallCostNano(cheap, { ...tokens, cacheRead: 0, cacheWrite: 0 })).toBe(1n);
  });
});

describe("the ledger", () => {
  it("admits exactly what the wallet holds of 50 calls on two processes", async () => {
    const { one, two } = start();
    const accountId = await fill("250000");
    const calls = Array.from({ length: 50 }, (_none, index) =>
      (index % 2 === 0 ? one : two).reserve(request(accountId)),
    );
    const held = (await Promise.allSettled(calls)).filter(({ status }) => status === "fulfilled");
    expect(held).toHaveLength(5);
    expect(await wallet(accountId)).toMatchObject({ balanceNano: "250000", heldNano: "250000" });
  });

  it("admits exactly what a key's budget holds, whatever the wallet has", async () => {
    const { one, two } = start();
    const accountId = await fill("1000000000");
    const keyId = `key_${randomUUID()}`;
    const budget = { limitNanoUsd: "250000", window: "day" } as const;
    const calls = Array.from({ length: 50 }, (_none, index) =>
      (index % 2 === 0 ? one : two).reserve(request(accountId, { keyId, budget })),
    );
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    const refusals = outcomes.flatMap((outcome) =>
      outcome.status === "rejected" ? [outcome.reason as { code: string; byoUrl: string }] : [],
    );
    expect(refusals[0]).toMatchObject({ code: "byo_url", byoUrl: "http://docs.test/byo" });
    expect(await wallet(accountId)).toMatchObject({ heldNano: "250000" });
  });

  it("gives a budget anew with every window", async () => {
    const { clock, one } = start();
    const accountId = await fill("1000000000");
    const keyId = `key_${randomUUID()}`;
    const daily = () => {
      const budget = { limitNanoUsd: "50000", window: "day" } as const;
      return one.reserve(request(accountId, { keyId, budget }));
    };
    await (await daily()).settle(used(10, 20));
    await expect(daily()).rejects.toMatchObject({ code: "byo_url" });
    clock.advance(24 * 60 * 60_000);
    await expect(daily()).resolves.toBeDefined();
  });

  it("charges what was used and gives the rest back, once", async () => {
    const { one, two } = start();
    const accountId = await fill("1000000");
    const asked = request(accountId);
    const reservation = await one.reserve(asked);
    await reservation.settle(used(10, 5));
    await reservation.settle(used(10, 20));
    await reservation.release();
    expect(await wallet(accountId)).toMatchObject({ balanceNano: "980000", heldNano: "0" });
    expect(await entry(asked.id)).toMatchObject({
      state: "settled",
      cost_nano: "20000",
      usage: { input: 10, output: 5 },
      rule: price,
    });
    await two.sweep();
    expect(await wallet(accountId)).toMatchObject({ balanceNano: "980000" });
  });

  it("charges a call that ends while the database is away, when it is back", async () => {
    const accountId = await fill("1000000");
    const { reservation, goAway } = await ledgerOfFailing(accountId);
    goAway(1);
    await reservation.settle(used(10, 5));
    expect(await wallet(accountId)).toMatchObject({ balanceNano: "980000", heldNano: "0" });
  });

  it("does not wait for a database that is away when it is closed", async () => {
    const { ledger, reservation, goAway } = await ledgerOfFailing(await fill("1000000"));
    goAway(Infinity);
    const settlement = reservation.settle(used(10, 5)).catch(String);
    await ledger.close();
    expect(await settlement).toBe("Error: away");
  });

  it("charges a settlement above the reserve in full", async () => {
    const { one } = start();
    const accountId = await fill("60000");
    await (await one.reserve(request(accountId))).settle(used(10, 40));
    expect(await wallet(accountId)).toMatchObject({ balanceNano: "-30000", heldNano: "0" });
  });

  it("settles calls of dead processes by what they last told, once, whoever sweeps", async () => {
    const { clock, one, two } = start();
    const accountId = await fill("1000000");
    const told = request(accountId);
    const silent = request(accountId);
    const alive = request(accountId);
    await (await one.reserve(told)).checkpoint(used(10, 7));
    await one.reserve(silent);
    clock.advance(59_000);
    await (await two.reserve(alive)).checkpoint(used(10, 1));
    clock.advance(2000);
    await Promise.all([one.sweep(), two.sweep(), one.sweep()]);
    expect(await entry(told.id)).toMatchObject({ state: "settled", cost_nano: "24000" });
    expect(await entry(silent.id)).toMatchObject({ state: "settled", cost_nano: "0" });
    // The one that renewed its lease goes on.
    expect(await entry(alive.id)).toMatchObject({ state: "held" });
    expect(await wallet(accountId)).toMatchObject({ balanceNano: "976000", heldNano: "50000" });
    clock.advance(60_000);
    await Promise.all([one.sweep(), two.sweep()]);
    expect(await wallet(accountId)).toMatchObject({ balanceNano: "964000", heldNano: "0" });
  });
});

describe("a sweep", () => {
  /** Calls of a process that is gone, with keys of their own, all of one wallet. */
  async function leaveBehind(ledger: WalletLedger, accountId: string, keyIds: readonly string[]) {
    const budget = { limitNanoUsd: "1000000000", window: "total" } as const;
    const left = keyIds.flatMap((keyId) => [keyId, keyId]);
    await Promise.all(left.map((keyId) => ledger.reserve(request(accountId, { keyId, budget }))));
    return (keyId: string) => ledger.reserve(request(accountId, { keyId, budget }));
  }

  it("gets in nobody's way: calls are reserved and settled meanwhile, others sweep too", async () => {
    const { clock, one, two } = start();
    const accountId = await fill("1000000000");
    const keyIds = Array.from({ length: 40 }, () => `key_${randomUUID()}`);
    const reserve = await leaveBehind(one, accountId, keyIds);
    clock.advance(61_000);
    const callOf = async (keyId: string) => (await reserve(keyId)).settle(used(10, 20));
    const calls = keyIds.toReversed().flatMap((keyId) => [callOf(keyId), callOf(keyId)]);
    const [first, second] = await Promise.all([one.sweep(), two.sweep(), ...calls]);
    expect(first + second).toBe(80);
    expect(await wallet(accountId)).toMatchObject({ balanceNano: "996000000", heldNano: "0" });
  });
});
