import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { databaseEntities } from "../../src/app/entities.ts";
import { CallLog } from "../../src/call-log/call-log.ts";
import { createMissingCallLogPartitions } from "../../src/call-log/call-partitions.ts";
import type { CallAttempt } from "../../src/domain/call-log-entry.ts";
import { openMigratedDatabase, type Database } from "../../src/platform/database/database.ts";
import { newResourceId } from "../../src/platform/ids.ts";
import { selectRows } from "../support/select-rows.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { keptCall, openCallWriter } from "./call-writer.ts";

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const { connectionString } = testDatabase;
  database = await openMigratedDatabase({
    connectionString,
    entities: databaseEntities,
    log: pino({ level: "silent" }),
  });
  await createMissingCallLogPartitions(database.fork(), [Date.now()]);
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const rows = (sql: string, ...values: unknown[]) =>
  selectRows(testDatabase.connectionString, sql, ...values);

const callOf = async (id: string) => (await rows(`select * from calls where id = $1`, id))[0];

const entryOf = async (id: string) =>
  (await rows(`select * from ledger_entries where id = $1`, id))[0];

/** A log, what it says, and the statements that it sends; `failures` of them fail as if the database were away. */
async function openLog(failures = 0) {
  const lines: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
  const pool = await database.orm.em.getConnection().getNativeClient();
  const statements = vi.spyOn(pool, "query");
  for (let left = failures; left > 0; left -= 1) {
    statements.mockImplementationOnce(() => {
      throw Object.assign(new Error("away"), { code: "ECONNREFUSED" });
    });
  }
  onTestFinished(() => statements.mockRestore());
  return { calls: new CallLog({ fork: () => database.fork(), log }), lines, statements };
}

const own = { accountId: "user_1", keyId: "key_1" };

/** Of a pool whose connections are all in use. */
function noConnection(): never {
  throw new Error("there is no connection left");
}

describe("the log of calls", () => {
  it("writes within a transaction over that transaction's connection alone", async () => {
    const { calls: prepared } = await openLog();
    await prepared.prepare(Date.now());
    const calls = new CallLog({ fork: noConnection, log: pino({ level: "silent" }) });
    const call = keptCall(own);
    await database.fork().transactional((em) => calls.write(em, call));
    expect(await callOf(call.id)).toMatchObject({ account_id: "user_1" });
  });

  it("writes many calls and what they used in one statement", async () => {
    const { calls, statements } = await openLog();
    const kept = Array.from({ length: 50 }, () => keptCall(own));
    for (const call of kept) calls.record(call);
    await calls.flush();
    expect(statements).toHaveBeenCalledTimes(1);
    for (const { id } of [kept[0], kept[49]] as typeof kept) {
      expect(await callOf(id)).toMatchObject({ account_id: "user_1", status: 200 });
      expect(await entryOf(id)).toMatchObject({ state: "settled", input_tokens: "10" });
    }
  });

  it("keeps all that is known of a call", async () => {
    const { calls } = await openLog();
    const kept = keptCall({
      ...own,
      requestId: "req_1",
      dialect: "messages",
      operation: "createMessage",
      model: "acme/a",
      target: String.raw`acme/"b",\c`,
      route: "credits",
      lane: "transcode",
      isStream: true,
      status: 502,
      errorCode: "upstream_unreachable",
      attempts: [{ target: "acme/a\tb", status: undefined, failure: "reset", ms: 1.4 }],
      skipped: [{ target: "acme/c", reason: "resting" }],
      warnings: ["a;dropped;\n{}"],
      tags: { project: String.raw`{"a" \b}` },
      responseId: "resp_1",
      turn: "turn_1",
      isRepeated: true,
      ms: 1500.4,
      firstByteMs: 0.6,
    });
    calls.record(kept);
    await calls.flush();
    const tag = `project:${kept.tags?.["project"]}`;
    expect(await callOf(kept.id)).toEqual({
      id: kept.id,
      at: new Date(Math.round(kept.endedAt)),
      account_id: "user_1",
      key_id: "key_1",
      request_id: "req_1",
      dialect: "messages",
      operation: "createMessage",
      model: "acme/a",
      target: kept.target,
      route: "credits",
      lane: "transcode",
      stream: true,
      status: 502,
      error_code: "upstream_unreachable",
      dial_ms: null,
      attempts: [{ target: "acme/a\tb", failure: "reset", ms: 1 }],
      skipped: kept.skipped,
      warnings: kept.warnings,
      tags: kept.tags,
      tagged: [tag, `user_1 ${tag}`],
      response_id: "resp_1",
      turn: "turn_1",
      repeated: true,
      ms: 1500,
      first_byte_ms: 1,
    });
  });

  const answered = { target: "acme/large", status: 200, failure: undefined, ms: 17.6 };

  it("keeps the time alone of the only dial", async () => {
    const { calls } = await openLog();
    const kept = keptCall({ ...own, attempts: [answered] });
    calls.record(kept);
    await calls.flush();
    expect(await callOf(kept.id)).toMatchObject({ dial_ms: 18, attempts: null });
  });

  it.each<[string, CallAttempt[]]>([
    ["several were made", [answered, answered]],
    ["it was of another target", [{ ...answered, target: "acme/small" }]],
    ["its status is not the caller's", [{ ...answered, status: 503 }]],
    ["it was not answered", [{ ...answered, status: undefined, failure: "connect" }]],
    ["its answer broke off", [{ ...answered, failure: "reset" }]],
  ])("keeps dials whole where %s", async (_, attempts) => {
    const { calls } = await openLog();
    const kept = keptCall({ ...own, attempts });
    calls.record(kept);
    await calls.flush();
    const printed = attempts.map((dial) => JSON.parse(JSON.stringify({ ...dial, ms: 18 })));
    expect(await callOf(kept.id)).toMatchObject({ dial_ms: null, attempts: printed });
  });

  it("keeps a call whose texts hold what parts the lines", async () => {
    const { calls } = await openLog();
    const [odd, next] = [keptCall({ ...own, model: "a\tb\nc", target: undefined }), keptCall(own)];
    for (const call of [odd, next]) calls.record(call);
    await calls.flush();
    expect(await callOf(odd.id)).toMatchObject({ model: "a\u{fffd}b\u{fffd}c", target: null });
    expect(await callOf(next.id)).toBeDefined();
  });

  it("[tags.kept] writes a call into the ledger as it was answered, by whom and when", async () => {
    const { calls } = await openLog();
    const endedAt = Date.now();
    const tags = { project: "alpha" };
    const call = { ...own, endedAt, ms: 1500, model: "acme/a", target: "acme/b", tags };
    const kept = keptCall({ ...call, isRepeated: true });
    calls.record(kept);
    await calls.flush();
    expect(await entryOf(kept.id)).toMatchObject({
      model: "acme/b",
      route: "byo",
      cost_nano: "0",
      usage: { prompt_tokens: 10, completion_tokens: 5 },
      tags,
      repeated: true,
      started_at: new Date(endedAt - 1500),
      ended_at: new Date(endedAt),
    });
  });

  it("[calls.unanswered] leaves the ledger alone where a call used nothing, or was paid for", async () => {
    const { calls } = await openLog();
    const kept = keptCall({ ...own, use: undefined });
    calls.record(kept);
    await calls.flush();
    expect(await callOf(kept.id)).toBeDefined();
    expect(await entryOf(kept.id)).toBeUndefined();
  });

  it("writes nothing twice", async () => {
    const { calls } = await openLog();
    const kept = keptCall(own);
    for (let times = 0; times < 2; times += 1) {
      calls.record(kept);
      await calls.flush();
    }
    expect(await rows(`select id from calls where id = $1`, kept.id)).toHaveLength(1);
    expect(await rows(`select id from ledger_entries where id = $1`, kept.id)).toHaveLength(1);
  });

  it("writes those of a batch that are not there, and says nothing of the others", async () => {
    const { calls, lines } = await openLog();
    const [there, missing] = [keptCall(own), keptCall(own)];
    calls.record(there);
    await calls.flush();
    for (const call of [there, missing]) calls.record(call);
    await calls.flush();
    expect(await rows(`select id from calls where id = $1`, there.id)).toHaveLength(1);
    expect(await rows(`select id from calls where id = $1`, missing.id)).toHaveLength(1);
    expect(lines).toEqual([]);
  });

  it("writes what it has noted by itself, soon", async () => {
    const { calls } = await openLog();
    const kept = keptCall(own);
    calls.record(kept);
    await vi.waitFor(async () => expect(await callOf(kept.id)).toBeDefined(), 5000);
  });

  it("loses a call that the database does not take, alone, and says so", async () => {
    const { calls, lines } = await openLog();
    const kept = [keptCall(own), keptCall({ ...own, status: 1e12 }), keptCall(own)];
    for (const call of kept) calls.record(call);
    await calls.flush();
    const there = await Promise.all(kept.map(({ id }) => callOf(id)));
    expect(there.map((row) => row !== undefined)).toEqual([true, false, true]);
    expect(lines).toEqual([expect.stringContaining("a call is lost")]);
  });

  it("keeps what JSON can say and PostgreSQL cannot hold", async () => {
    const { calls } = await openLog();
    const raw = { note: "\u0000\ud800", path: String.raw`\u0000` };
    const model = "m\u0000\ud800";
    const use = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, isEstimated: false, raw };
    const kept = keptCall({ ...own, model, target: undefined, tags: { constructor: "1" }, use });
    calls.record(kept);
    await calls.flush();
    expect(await callOf(kept.id)).toMatchObject({ model: "m\u{fffd}\u{fffd}" });
    const usage = { note: "\u{fffd}\u{fffd}", path: String.raw`\u0000` };
    expect(await entryOf(kept.id)).toMatchObject({ usage, tags: { constructor: "1" } });
  });

  it("writes a call without the usage object that is longer than usage is", async () => {
    const { calls } = await openLog();
    const raw = { long: "x".repeat(20_000) };
    const use = { inputTokens: 7, cachedInputTokens: 0, outputTokens: 1, isEstimated: false, raw };
    const kept = keptCall({ ...own, use });
    calls.record(kept);
    await calls.flush();
    expect(await entryOf(kept.id)).toMatchObject({ input_tokens: "7", usage: null });
  });

  it("tries again while the database is away, and never throws", async () => {
    const { calls, lines } = await openLog(1);
    const kept = keptCall(own);
    calls.record(kept);
    await calls.flush();
    expect(await callOf(kept.id)).toBeUndefined();
    expect(lines).toEqual([expect.stringContaining("calls could not be written yet")]);
    await calls.flush();
    expect(await callOf(kept.id)).toBeDefined();
  });
});

describe("a day that nobody has made", () => {
  it("is made by the first call that needs it, by several processes at once", async () => {
    const writers = await Promise.all(
      Array.from({ length: 4 }, () => openCallWriter(testDatabase.connectionString)),
    );
    onTestFinished(async () => {
      await Promise.all(writers.map((writer) => writer.close()));
    });
    const endedAt = Date.UTC(2031, 4, 5, 23, 59, 59, 999);
    const kept = await Promise.all(
      writers.map((writer) => {
        const next = { ...own, id: newResourceId("call", endedAt), endedAt: endedAt + 1 };
        return writer.keep({ ...own, endedAt }, next);
      }),
    );
    const days = `select tableoid::regclass::text as day, count(*) from calls where at > '2031-01-01'
      group by 1 order by 1`;
    expect(await rows(days)).toEqual([
      { day: "calls_2031_05_05", count: "4" },
      { day: "calls_2031_05_06", count: "4" },
    ]);
    expect(await callOf(kept[0]?.id ?? "")).toMatchObject({ at: new Date(endedAt) });
  });
});
