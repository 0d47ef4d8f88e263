import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseEntities } from "../../src/app/entities.ts";
import { openMigratedDatabase, type Database } from "../../src/platform/database/database.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { newResourceId } from "../../src/platform/ids.ts";
import type { CreditsReservationRequest } from "../../src/domain/reservation.ts";
import { WalletLedger } from "../../src/wallet/ledger.ts";
import { openCallWriter, used, type CallFields, type CallWriter } from "../call-log/call-writer.ts";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";

let causeway: TestInstance;
let writer: CallWriter;
let database: Database;
let ledger: WalletLedger;

beforeAll(async () => {
  causeway = await startTestInstance();
  const { connectionString } = causeway;
  const log = pino({ level: "silent" });
  writer = await openCallWriter(connectionString);
  database = await openMigratedDatabase({ connectionString, entities: databaseEntities, log });
  const { runPrepared } = database;
  const fork = () => database.fork();
  ledger = new WalletLedger({ fork, runPrepared, clock: systemClock, log, byoUrl: () => "" });
});

afterAll(async () => {
  await database.close();
  await writer.close();
  await causeway.close();
});

const price = {
  inputUsdPerMtok: 1,
  outputUsdPerMtok: 2,
  cachedInputUsdPerMtok: undefined,
  cacheWriteUsdPerMtok: undefined,
};
const tokens = { input: 10, cacheRead: 0, cacheWrite: 0, output: 20 };

/** Somebody with a dollar, whose calls on own credentials are kept and whose others are paid. */
async function payer() {
  const user = await causeway.createUser();
  const credit = { token: causeway.adminToken, body: { amount_usd: 1 } };
  await causeway.call("POST", `/v1/admin/users/${user.id}/credits`, credit);
  const { id: keyId } = await user.createKey();
  const own = { accountId: user.id, keyId };
  const keep = (call: Partial<CallFields> = {}) => writer.keep({ ...own, ...call });
  const pay = async (more: Partial<CreditsReservationRequest> = {}) => {
    const model = { id: newResourceId("call"), model: "sold", price, tokens, budget: undefined };
    const reservation = await ledger.reserve({ ...own, ...model, ...more });
    await reservation.settle({ ...tokens, isEstimated: false, raw: undefined });
  };
  const get = async (path: string) =>
    (await causeway.call("GET", path, { token: user.session })).body;
  return { keep, pay, get };
}

describe("usage by tag", () => {
  it("[tags.kept] [tags.usage] sums the calls of each value, paid or not, and leaves out those without the tag", async () => {
    const { keep, pay, get } = await payer();
    await keep({ tags: { project: "alpha", env: "prod" } });
    await keep({ tags: { project: "beta" }, use: used(3, 4) });
    await keep({ tags: { env: "prod" } });
    await keep();
    await pay({ tags: { project: "alpha" } });
    await pay();
    const { data, first_id: firstId } = await get("/v1/usage?group_by=tag&tag=project");
    expect(data).toEqual([
      {
        object: "usage",
        tag: "alpha",
        requests: 2,
        repeated: 0,
        input_tokens: 20,
        cached_input_tokens: 0,
        output_tokens: 25,
        cost_usd: 0.00005,
        estimated: false,
      },
      expect.objectContaining({ tag: "beta", requests: 1, input_tokens: 3, output_tokens: 4 }),
    ]);
    expect(firstId).toBe("alpha");
    const next = await get("/v1/usage?group_by=tag&tag=project&after_id=alpha");
    expect(next.data).toMatchObject([{ tag: "beta" }]);
    expect((await get("/v1/usage?group_by=tag&tag=nothing")).data).toEqual([]);
  });

  it.each([
    "?group_by=tag",
    "?tag=project",
    "?group_by=model&tag=project",
    "?group_by=tag&tag=Project",
    "?group_by=tag&tag=",
  ])("[tags.usage] refuses %s with its param", async (query) => {
    const { get } = await payer();
    expect(await get(`/v1/usage${query}`)).toMatchObject({
      error: "invalid_request",
      param: "tag",
    });
  });

  it.each(["constructor", "__proto__"])("knows a tag of the name %s", async (name) => {
    const { keep, pay, get } = await payer();
    const tags = Object.fromEntries([[name, "x"]]);
    const { id } = await keep({ tags });
    await pay({ tags });
    const { data } = await get(`/v1/usage?group_by=tag&tag=${name}`);
    expect(data).toMatchObject([{ tag: "x", requests: 2 }]);
    expect(Object.entries((await get(`/v1/calls/${id}`)).tags)).toEqual([[name, "x"]]);
    expect((await get(`/v1/calls?tag=${name}:x`)).data).toMatchObject([{ id }]);
  });
});

describe("the ledger of one call", () => {
  it("[calls.repeated] counts calls that were made again", async () => {
    const { keep, pay, get } = await payer();
    await keep({ isRepeated: true });
    await pay({ isRepeated: true });
    await pay();
    expect((await get("/v1/usage")).data).toMatchObject([{ requests: 3, repeated: 2 }]);
  });

  it("holds what a paid call used, which the call shows", async () => {
    const { keep, pay, get } = await payer();
    const call = await keep({ route: "credits", use: undefined, model: "sold", target: "sold" });
    await pay({ id: call.id });
    const expected = { input_tokens: 10, output_tokens: 20, cost_usd: 0.00005, route: "credits" };
    expect(await get(`/v1/calls/${call.id}`)).toMatchObject(expected);
    expect((await get("/v1/usage")).data).toMatchObject([{ requests: 1 }]);
  });

  it("adds up two targets that were paid, as one call of each model", async () => {
    const { keep, pay, get } = await payer();
    const call = await keep({ route: "credits", use: undefined });
    await pay({ id: call.id });
    await pay({ callId: call.id, model: "dear" });
    const sums = { input_tokens: 20, output_tokens: 40, cost_usd: 0.0001 };
    expect(await get(`/v1/calls/${call.id}`)).toMatchObject(sums);
    expect((await get("/v1/calls")).data).toMatchObject([sums]);
    expect((await get("/v1/usage")).data).toMatchObject([{ ...sums, requests: 1 }]);
    expect((await get("/v1/usage?group_by=model")).data).toMatchObject([
      { model: "dear", requests: 1 },
      { model: "sold", requests: 1 },
    ]);
  });
});
