import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { waitUntil } from "../support/wait-until.ts";
import {
  expireLeases,
  readBilledEntries,
  readSums,
  readUnbilledInputs,
} from "./support/ledger-rows.ts";
import {
  callNumbered,
  costOf,
  openNumberedUpstream,
  promptNano,
  reserveOf,
  type NumberedCall,
  type NumberedUpstream,
} from "./support/numbered-calls.ts";
import {
  prepareCreditsGateways,
  type CreditsGateway,
  type CreditsGateways,
} from "./support/credits-gateways.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

const kills = 50;

/** Processes that start, stream and are killed beside each other. */
const lanes = 3;

/** Processes of the 50 that stream all the while, so that they have told what was used so far. */
const elders = 2;

/** A running call tells that so often. */
const checkpointMs = 15_000;

/** By then a call that reserves nothing is in the ledger; every fifth process lives on so long. */
const usageMs = 1000;

const grantedUsd = 10;

let upstream: NumberedUpstream;
let gateways: CreditsGateways;
/** It is not killed, and sweeps behind those that are. */
let survivor: CreditsGateway;
let accountId: string;
/** Of one wallet; the second has a budget as well. */
let keys: readonly [string, string];

beforeAll(async () => {
  upstream = await openNumberedUpstream();
  gateways = await prepareCreditsGateways(upstream.fake.origin);
  survivor = await gateways.start();
  const user = await gateways.createUser(survivor.call);
  accountId = user.id;
  await gateways.credit(survivor.call, user, grantedUsd);
  const link = { token: user.session, body: { api_key: "own" } };
  await survivor.call("PUT", "/v1/vendors/bolt/credential", link);
  const unlimited = { rate_limit: { requests_per_minute: 100_000, burst: 10_000 } };
  const budget = { limit_usd: grantedUsd, window: "total" };
  const [plain, limited] = [
    await user.createKey(unlimited),
    await user.createKey({ ...unlimited, budget }),
  ];
  keys = [plain.secret, limited.secret];
});
afterAll(async () => {
  await gateways.close();
  await upstream.fake.close();
});

/** Numbers of the calls of one process. */
class Calls {
  readonly streams: number[] = [];
  /** Ended more than a second before the kill. */
  readonly paid: number[] = [];
  readonly unpaid: number[] = [];
  /** Under way in every stage when the kill came. */
  readonly cutPaid: number[] = [];
  readonly cutUnpaid: number[] = [];

  get reserves(): string[] {
    return [...this.streams, ...this.paid, ...this.cutPaid].map(reserveOf);
  }
}

let lastNumber = 1000;

function numbered(list: number[], fields: Omit<NumberedCall, "number">): NumberedCall {
  lastNumber += 1;
  list.push(lastNumber);
  return { ...fields, number: lastNumber };
}

const sold = { model: "sold" };
const streamed = { model: "sold", stream: true };
const linked = { model: "bolt/any" };

/** Resolves with the first piece of its answer; what follows is read until it ends or is cut. */
async function begin(url: string, key: string, call: NumberedCall): Promise<void> {
  const answer = await callNumbered(url, key, call);
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  const reader = answer.body?.getReader();
  await reader?.read();
  const readOn = async (): Promise<void> => {
    while ((await reader?.read())?.done === false);
  };
  void readOn().catch(() => undefined);
}

/**
 * Starts a process, lets it serve, and kills it among streams and calls of every
 * kind: at once, or when it has lingered, by when what had ended is written.
 */
async function serveAndKill(index: number, linger?: () => Promise<unknown>): Promise<Calls> {
  const { url, process: child } = await gateways.start();
  const key = keys[index % 2] ?? "";
  const calls = new Calls();
  const make = (list: number[], kind: Omit<NumberedCall, "number">) =>
    begin(url, key, numbered(list, kind)).catch((error: unknown) => {
      throw new Error(`${String(error)}. The gateway said:\n${child.stderr}`);
    });
  await Promise.all([
    make(linger ? calls.paid : calls.cutPaid, sold),
    make(linger ? calls.unpaid : calls.cutUnpaid, linked),
    ...[1, 2, 3].map(() => make(calls.streams, streamed)),
  ]);
  await linger?.();
  const cut = Promise.allSettled([
    make(calls.cutPaid, streamed),
    make(calls.cutPaid, sold),
    make(calls.cutUnpaid, linked),
  ]);
  // From before the reserve to after the settlement.
  await delay(index % 25);
  child.signal("SIGKILL");
  await Promise.all([child.ended(), cut]);
  await checkSums();
  expect(await readUnbilledInputs(gateways.databaseUrl)).toEqual(
    expect.arrayContaining(calls.unpaid),
  );
  await expireLeases(gateways.databaseUrl, calls.reserves);
  return calls;
}

/** What was granted is there: charged, or held by calls that run, or free. */
async function checkSums(): Promise<void> {
  const {
    balance,
    held,
    charged,
    reserved,
    keys: ofKeys,
  } = await readSums(gateways.databaseUrl, accountId);
  expect(balance + charged).toBe(BigInt(grantedUsd * 1e9));
  expect(held).toBe(reserved);
  expect(balance - held).toBeGreaterThan(0n);
  expect(ofKeys).toHaveLength(1);
  for (const key of ofKeys) expect([key.spent, key.held]).toEqual([key.charged, key.reserved]);
}

/** Kills all of them; the elders last. */
async function killAll(): Promise<Calls[]> {
  let next = elders;
  const done: Calls[] = [];
  const lane = async (): Promise<void> => {
    while (next < kills) {
      const linger = next % 5 === 0 ? () => delay(usageMs) : undefined;
      done.push(await serveAndKill(next++, linger));
    }
  };
  const others = Promise.all(Array.from({ length: lanes }, lane));
  const growOld = () => Promise.all([others, delay(checkpointMs + 2000)]);
  const old = await Promise.all(
    Array.from({ length: elders }, (_none, index) => serveAndKill(index, growOld)),
  );
  return [...old, ...done];
}

it("[money.call-id] has each reserved call once, whatever is killed in the middle of streams, and sweeps what is left", async () => {
  const own = new Calls();
  await begin(survivor.url, keys[1], numbered(own.streams, streamed));
  const killed = await killAll();
  const reserves = killed.flatMap((calls) => calls.reserves);
  // A reserve that was under way at a kill may have been written after our last look.
  await expireLeases(gateways.databaseUrl, reserves);
  // Only the stream of the living is still held.
  await nothingHeldBut(own.reserves);
  const entries = await readBilledEntries(gateways.databaseUrl);
  expect([...reserves, ...own.reserves]).toEqual(expect.arrayContaining([...entries.keys()]));
  for (const found of entries.values()) expect(found).toHaveLength(1);
  for (const calls of killed) checkCharges(calls, entries);
  for (const calls of killed.slice(0, elders)) checkCheckpoints(calls, entries);

  upstream.finish();
  await nothingHeldBut([]);
  const unpaid = await readUnbilledInputs(gateways.databaseUrl);
  expect(new Set(unpaid).size).toBe(unpaid.length);
});

/** Waits for the sweeps, which come every 15 s. */
async function nothingHeldBut(reserves: readonly string[]): Promise<void> {
  const expected = reserves.reduce((sum, reserve) => sum + BigInt(reserve), 0n);
  const held = async () => (await readSums(gateways.databaseUrl, accountId)).held;
  await waitUntil(async () => (await held()) === expected, 40_000);
  await checkSums();
}

type Entries = Awaited<ReturnType<typeof readBilledEntries>>;

const entryOf = (entries: Entries, number: number) => entries.get(reserveOf(number))?.[0];

/** Calls that had ended cost what was used; what the upstream has seen is in the ledger, and is over. */
function checkCharges({ streams, paid, cutPaid }: Calls, entries: Entries): void {
  for (const number of paid)
    expect(entryOf(entries, number)).toMatchObject({ state: "settled", cost: costOf(number) });
  for (const number of [...streams, ...cutPaid.filter(hasReachedUpstream)])
    expect(entryOf(entries, number)).toMatchObject({ state: "settled" });
}

const hasReachedUpstream = (number: number) => upstream.numbers.includes(number);

/** What was told of a call that ran long enough is charged: its prompt, and at least a token a second. */
function checkCheckpoints({ streams }: Calls, entries: Entries): void {
  const least = BigInt(promptNano + (checkpointMs / 1000) * 2000);
  for (const number of streams)
    expect(entryOf(entries, number)?.cost).toBeGreaterThanOrEqual(least);
}
