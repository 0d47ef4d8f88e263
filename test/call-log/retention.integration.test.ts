import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { databaseEntities } from "../../src/app/entities.ts";
import { maintainCallLogPartitions } from "../../src/call-log/call-partitions.ts";
import { openMigratedDatabase, type Database } from "../../src/platform/database/database.ts";
import { newResourceId } from "../../src/platform/ids.ts";
import { selectRows } from "../support/select-rows.ts";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";
import { openCallWriter, type CallWriter } from "./call-writer.ts";

let causeway: TestInstance;
let writer: CallWriter;
/** Other processes beside the server. */
let databases: readonly Database[];

beforeAll(async () => {
  causeway = await startTestInstance({ file: { retention: { calls_days: 7 } } });
  const { connectionString } = causeway;
  writer = await openCallWriter(connectionString);
  const log = pino({ level: "silent" });
  const open = () => openMigratedDatabase({ connectionString, entities: databaseEntities, log });
  databases = await Promise.all(Array.from({ length: 3 }, open));
});

afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await writer.close();
  await causeway.close();
});

const dayMs = 24 * 60 * 60_000;

const days = async () =>
  (
    await selectRows(
      causeway.connectionString,
      `select inhrelid::regclass::text as day from pg_inherits
       where inhparent = 'calls'::regclass order by 1`,
    )
  ).map(({ day }) => String(day).replace("calls_", "").replaceAll("_", "-"));

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

const renew = (now: number) =>
  Promise.all(databases.map((database) => maintainCallLogPartitions(database.fork(), now, 7)));

it("a start makes today and the two days that come", async () => {
  const now = Date.now();
  await waitUntil(async () => (await days()).length >= 3);
  expect(await days()).toEqual([dayOf(now), dayOf(now + dayMs), dayOf(now + 2 * dayMs)]);
});

it("[file.calls-retention] [calls.retention] a day goes as soon as all of it is older than retention.calls_days, whoever renews", async () => {
  const now = Date.UTC(2030, 0, 20, 12);
  const user = await causeway.createUser();
  const key = await user.createKey();
  const own = { accountId: user.id, keyId: key.id };
  const [kept, gone] = [Date.UTC(2030, 0, 13), Date.UTC(2030, 0, 12, 23, 59, 59, 999)];
  const old = { ...own, id: newResourceId("call", gone - 20), endedAt: gone };
  await writer.keep(old, { ...own, endedAt: kept });
  await renew(now);
  const since2030 = (await days()).filter((day) => day > "2030");
  expect(since2030).toEqual(["2030-01-13", "2030-01-20", "2030-01-21", "2030-01-22"]);
  const list = await causeway.call("GET", "/v1/calls", { token: key.secret });
  expect(list.body.data).toMatchObject([{ at: "2030-01-13T00:00:00.000Z" }]);
  const answer = await causeway.call("GET", `/v1/calls/${old.id}`, { token: key.secret });
  expect(answer.status).toBe(404);
});

it("[calls.retention] what calls used stays when they are gone, in the ledger and in usage", async () => {
  const now = Date.UTC(2030, 2, 20, 12);
  const user = await causeway.createUser();
  const key = await user.createKey();
  const endedAt = Date.UTC(2030, 2, 1, 12);
  const tags = { project: "alpha" };
  await writer.keep({ accountId: user.id, keyId: key.id, endedAt, tags, isRepeated: true });
  await renew(now);
  const get = async (path: string) =>
    (await causeway.call("GET", path, { token: user.session })).body.data;
  expect(await get("/v1/calls")).toEqual([]);
  expect(await get("/v1/usage")).toMatchObject([{ day: "2030-03-01", requests: 1, repeated: 1 }]);
  const byTag = await get("/v1/usage?group_by=tag&tag=project");
  expect(byTag).toMatchObject([{ tag: "alpha", requests: 1, input_tokens: 10 }]);
});

it("[calls.retention] a call that is gone is still a cursor", async () => {
  const user = await causeway.createUser();
  const key = await user.createKey();
  const endedAt = Date.now() - 9 * dayMs;
  const own = { accountId: user.id, keyId: key.id };
  const gone = await writer.keep({ ...own, endedAt });
  const [one, two] = [
    await writer.keep({ ...own, endedAt: Date.now() - 2000 }),
    await writer.keep({ ...own, endedAt: Date.now() - 1000 }),
  ];
  await renew(Date.now());
  const list = async (query: string) =>
    (await causeway.call("GET", `/v1/calls?${query}`, { token: key.secret })).body;
  expect(await list(`after_id=${gone.id}`)).toMatchObject({ data: [], has_more: false });
  const before = await list(`before_id=${gone.id}&limit=1`);
  expect(before).toMatchObject({ data: [{ id: one.id }], has_more: true });
  const next = await list(`before_id=${one.id}&limit=1`);
  expect(next).toMatchObject({ data: [{ id: two.id }], has_more: false });
});
