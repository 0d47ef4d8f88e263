import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { TestUser } from "../support/rest-client.ts";
import { selectRows } from "../support/select-rows.ts";
import { waitUntil } from "../support/wait-until.ts";
import {
  callNumbered,
  openNumberedUpstream,
  reserveOf,
  type NumberedUpstream,
} from "./support/numbered-calls.ts";
import {
  prepareCreditsGateways,
  type CreditsGateway,
  type CreditsGateways,
} from "./support/credits-gateways.ts";

vi.setConfig({ testTimeout: 60_000 });

let upstream: NumberedUpstream;
let gateways: CreditsGateways;
let both: readonly CreditsGateway[];

beforeAll(async () => {
  upstream = await openNumberedUpstream();
  gateways = await prepareCreditsGateways(upstream.fake.origin);
  both = await Promise.all([gateways.start(), gateways.start()]);
});
afterAll(async () => {
  await gateways.close();
  await upstream.fake.close();
});

/** A call holds so much: 10 tokens in, 20 out; it will use 5 of them. */
const cap = 20;
const reserveUsd = 0.00005;
const costUsd = 0.00003;

/** The wallet that a key pays from, as one of the processes shows it, when nothing is held any more. */
async function settledWallet(index: number, token: string): Promise<number> {
  const wallet = () => both[index]?.call("GET", "/v1/wallet", { token });
  await waitUntil(async () => (await wallet())?.body.held_usd === 0);
  return (await wallet())?.body.balance_usd;
}

/** 50 calls at once, half of them on each process; none is answered before all others are refused. */
async function fiftyCalls(secret: string, accountId: string): Promise<number[]> {
  const gate = Promise.withResolvers<void>();
  upstream.gate = gate.promise;
  let refused = 0;
  const calls = Array.from({ length: 50 }, async (_none, index) => {
    const status = await statusOfCall(index % 2, secret);
    if (status !== 200) refused += 1;
    return status;
  });
  await waitUntil(() => refused === 45, 30_000);
  expect(await walletRow(accountId)).toMatchObject({ held: String(5 * Number(reserveOf(cap))) });
  gate.resolve();
  return Promise.all(calls);
}

async function statusOfCall(index: number, secret: string): Promise<number> {
  const url = both[index]?.url ?? "";
  const answer = await callNumbered(url, secret, { number: cap, model: "sold" });
  await answer.text();
  return answer.status;
}

/** In nano-dollars. */
async function walletRow(accountId: string): Promise<Record<string, unknown> | undefined> {
  const sql = `select "balance_nano" as "balance", "held_nano" as "held" from "wallets" where "account_id" = $1`;
  const [row] = await selectRows(gateways.databaseUrl, sql, accountId);
  return row;
}

/** A user with so many dollars and a key. */
async function payer(usd: number, fields: Record<string, unknown> = {}) {
  const [first] = both;
  if (first === undefined) throw new Error("No gateway runs.");
  const user: TestUser = await gateways.createUser(first.call);
  await gateways.credit(first.call, user, usd);
  return { user, key: await user.createKey(fields) };
}

describe("50 parallel calls on two processes, where there is enough for 5", () => {
  it.each([
    ["in the wallet", 5 * reserveUsd, {}],
    ["in the budget of the key", 1, { budget: { limit_usd: 5 * reserveUsd, window: "total" } }],
  ])(
    "[money.no-fit] %s: 5 are admitted, 45 get 402, and what they did not use is given back",
    async (_where, usd, fields) => {
      const { user, key } = await payer(usd, fields);
      const statuses = await fiftyCalls(key.secret, user.id);
      expect(statuses.filter((status) => status === 200)).toHaveLength(5);
      expect(statuses.filter((status) => status === 402)).toHaveLength(45);
      expect(await settledWallet(0, key.secret)).toBeCloseTo(usd - 5 * costUsd, 9);
      // There is room again: for two calls, and no third.
      const more: number[] = [];
      for (const index of [0, 1, 0]) {
        more.push(await statusOfCall(index, key.secret));
        await settledWallet(1, key.secret);
      }
      expect(more).toEqual([200, 200, 402]);
    },
  );
});
