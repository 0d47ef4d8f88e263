import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { checkResponsesStream } from "../../src/conformance/grammar/responses.ts";
import { buildResponsesQueuedResponse } from "../../src/dialect/responses/queued-response.ts";
import type {
  TurnModelCallInput,
  TurnModelCallOutcome,
  TurnModelCaller,
} from "../../src/domain/durable-turn.ts";
import { openMemoryReservationScope, noopMemoryReserver } from "../../src/platform/hold-memory.ts";
import { SecretBox } from "../../src/platform/crypto/secret-box.ts";
import { openMigratedDatabase, type Database } from "../../src/platform/database/database.ts";
import { parseEventStreamText } from "../../src/platform/sse/read-events.ts";
import { createTurnMetrics } from "../../src/platform/telemetry/turn-metrics.ts";
import { TurnRun, type TurnRunDependencies } from "../../src/turn/turn-run.ts";
import { TurnEventBatchEntity } from "../../src/turn/turn-event-batch.entity.ts";
import { InProcessTurnNotifier } from "../../src/turn/turn-notifier.ts";
import { TurnLeaseLostError } from "../../src/turn/turn-lease-lost-error.ts";
import { TurnQueue, type ClaimedTurn } from "../../src/turn/turn-queue.ts";
import { TurnStore } from "../../src/turn/turn-store.ts";
import { DatabaseTurnService } from "../../src/turn/turns.ts";
import { DurableTurnEntity } from "../../src/turn/turn.entity.ts";
import { FakeFeed } from "../support/fake-feed.ts";
import { waitUntil } from "../support/wait-until.ts";
import { ScriptedModel } from "./agent/scripted-model.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { loadContext } from "./load-context.ts";

const log = pino({ level: "silent" });
let testDatabase: TestDatabase;
let database: Database;
let queue: TurnQueue;
let store: TurnStore;
let turns: DatabaseTurnService;
const news = new InProcessTurnNotifier();

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const entities = [DurableTurnEntity, TurnEventBatchEntity];
  database = await openMigratedDatabase({ ...testDatabase, entities, log });
  const feed = new FakeFeed();
  const fork = () => database.fork();
  queue = new TurnQueue({ runPrepared: database.runPrepared, feed });
  const box = new SecretBox([randomBytes(32)]);
  store = new TurnStore({ fork, box, clock: Date, days: 30, threadsDays: 30 });
  turns = new DatabaseTurnService({ store, queue, feed, notifier: news, worker: () => undefined });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** No process dies here. */
function settleLost(): never {
  throw new Error("nothing was lost");
}

async function start(): Promise<string> {
  const id = `turn_${randomUUID()}`;
  const body = { model: "custom/box/m", input: "hello" };
  const request = { requestId: "req", address: "::1", callId: "call_1", headers: {}, body: "{}" };
  const response = buildResponsesQueuedResponse({ id, created: 1, body });
  await turns.start({ id, accountId: "user_1", keyId: "key_1", request, input: [], response });
  return id;
}

function partsOf(caller: TurnModelCaller): TurnRunDependencies {
  const fork = () => database.fork();
  const counts = createTurnMetrics(new Registry());
  return { queue, store, caller, notifier: news, fork, counts, clock: Date, agent: undefined };
}

/** A lease that has run out is seen by one claim, and the turn taken by the next. */
async function claimNext(): Promise<ClaimedTurn> {
  const claims: ClaimedTurn[] = [];
  await waitUntil(async () => {
    claims.push(...(await queue.claim({ workerId: "worker", freePlaces: 1 })));
    return claims.length > 0;
  });
  const [claim] = claims;
  if (claim === undefined) throw new Error("nothing to claim");
  return claim;
}

/** Starts a turn and runs it with whoever makes its calls, as a process would. */
async function run(call: TurnModelCaller["call"]): Promise<{ id: string; running: Promise<void> }> {
  const id = await start();
  const [claim] = await queue.claim({ workerId: "worker", freePlaces: 1 });
  if (claim === undefined) throw new Error("nothing to claim");
  const caller: TurnModelCaller = {
    prepareTransaction: async () => undefined,
    openMemory: () => openMemoryReservationScope(noopMemoryReserver),
    call,
    canContinue: async () => true,
    settleOrphaned: settleLost,
  };
  return { id, running: new TurnRun(partsOf(caller), claim).run() };
}

/** Seals as ever, but for a word. */
function failOn(word: string): TurnStore["sealFrames"] {
  const seal = store.sealFrames.bind(store);
  return async (id, first, frames) => {
    if (frames.some((frame) => frame.includes(word))) throw new Error("a fault of ours");
    return seal(id, first, frames);
  };
}

async function replayOf(id: string): Promise<string> {
  const frames: string[] = [];
  for (let hasMore = true; hasMore;) {
    // oxlint-disable-next-line no-await-in-loop
    const told = await store.framesAfter(id, frames.length - 1);
    for (const batch of told?.batches ?? []) frames.push(...batch.frames);
    hasMore = told?.hasMore === true;
  }
  return frames.join("");
}

const item = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "in_progress",
  content: [],
};
const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
const at = { item_id: "msg_1", output_index: 0, content_index: 0 };

/** Says a word that is kept, and one that waits for its batch. */
async function sayHalf(call: TurnModelCallInput): Promise<void> {
  void call.push({ type: "response.output_item.added", output_index: 0, item });
  void call.push({ type: "response.content_part.added", ...at, part });
  void call.push({ type: "response.output_text.delta", ...at, delta: "One ", logprobs: [] });
  await waitUntil(async () => (await replayOf(call.turnId)).includes("One "));
  void call.push({ type: "response.output_text.delta", ...at, delta: "two ", logprobs: [] });
}

it("ends a turn as failed by a fault of ours, with nothing missing between what was told and its end", async () => {
  const { id, running } = await run(async (call) => {
    await sayHalf(call);
    throw new Error("a fault of ours");
  });
  await expect(running).rejects.toThrow("a fault of ours");
  expect(checkResponsesStream(parseEventStreamText(await replayOf(id)))).toEqual([]);
  expect(await turns.findResponse("user_1", id, loadContext)).toMatchObject({
    response: { status: "failed", error: { code: "server_error" } },
  });
  expect(await queue.claim({ workerId: "other", freePlaces: 1 })).toEqual([]);
});

it.each(["cannot be sealed", "are refused by the database"])(
  "ends a turn as failed whose events %s, and takes it no more",
  async (what) => {
    const failing = failOn("two ");
    const spy =
      what === "cannot be sealed"
        ? vi.spyOn(store, "sealFrames").mockImplementation(failing)
        : vi.spyOn(queue, "append").mockRejectedValueOnce(new Error("a fault of ours"));
    let wasStopped = false;
    const { id, running } = await run(async (call) => {
      const stopped = once(call.signal, "abort");
      void call.push({ type: "response.output_item.added", output_index: 0, item });
      void call.push({ type: "response.content_part.added", ...at, part });
      void call.push({ type: "response.output_text.delta", ...at, delta: "two ", logprobs: [] });
      await stopped;
      wasStopped = true;
      return {
        callId: call.callId,
        terminal: undefined,
        error: undefined,
        isRetryable: false,
        used: undefined,
        commit: async () => undefined,
      };
    });
    await expect(running).rejects.toThrow("a fault of ours");
    spy.mockRestore();
    expect(wasStopped).toBe(true);
    expect(checkResponsesStream(parseEventStreamText(await replayOf(id)))).toEqual([]);
    expect(await turns.findResponse("user_1", id, loadContext)).toMatchObject({
      response: { status: "failed" },
    });
    expect(await queue.claim({ workerId: "other", freePlaces: 1 })).toEqual([]);
  },
);

it("fails a turn without another model call when five processes die in its call", async () => {
  let dialled = 0;
  const pause = async ({ signal }: TurnModelCallInput): Promise<void> => {
    dialled += 1;
    if (!signal.aborted) await once(signal, "abort");
  };
  const model = new ScriptedModel(() => ({ pause }));
  const id = await start();
  for (let died = 1; died <= 5; died += 1) {
    const claim = await claimNext();
    const turnRun = new TurnRun(partsOf(model), claim);
    const running = turnRun.run();
    await waitUntil(() => dialled === died);
    // As where the process is killed: nobody hears the end of the call.
    turnRun.loseLease();
    await running;
    const sql = `update absurd.r_turns set claim_expires_at = clock_timestamp() where run_id = ?`;
    await database.fork().execute(sql, [claim.runId]);
  }
  await new TurnRun(partsOf(model), await claimNext()).run();
  expect(model.calls).toHaveLength(5);
  expect(model.lost).toEqual(model.calls.map(({ callId }) => callId));
  expect(await turns.findResponse("user_1", id, loadContext)).toMatchObject({
    response: { status: "failed", error: { code: "server_error" } },
  });
  expect(checkResponsesStream(parseEventStreamText(await replayOf(id)))).toEqual([]);
});

it("makes a model call again whose processes lost the turn five times and lived", async () => {
  let dialled = 0;
  const pause = async ({ signal }: TurnModelCallInput): Promise<void> => {
    dialled += 1;
    if (dialled <= 5 && !signal.aborted) await once(signal, "abort");
  };
  const model = new ScriptedModel(() => ({ pause }));
  const id = await start();
  for (let taken = 1; taken <= 5; taken += 1) {
    const claim = await claimNext();
    const turnRun = new TurnRun(partsOf(model), claim);
    const running = turnRun.run();
    await waitUntil(() => dialled === taken);
    const sql = `update absurd.r_turns set claim_expires_at = clock_timestamp() where run_id = ?`;
    await database.fork().execute(sql, [claim.runId]);
    turnRun.loseLease(new TurnLeaseLostError(claim.runId));
    await running;
  }
  await new TurnRun(partsOf(model), await claimNext()).run();
  expect(model.calls).toHaveLength(6);
  expect(await replayOf(id)).toContain("event: response.completed");
});

it("fails a turn that was taken too often, without reading what it was asked or said", async () => {
  const id = await start();
  const claim = { ...(await claimNext()), attempt: 31 };
  const load = vi.spyOn(store, "load");
  const page = vi.spyOn(store, "framesAfter");
  const failing = new TurnRun(partsOf(new ScriptedModel(() => ({}))), claim).run();
  await expect(failing).rejects.toThrow("the turn was taken too often");
  expect(load).not.toHaveBeenCalled();
  expect(page).not.toHaveBeenCalled();
  load.mockRestore();
  page.mockRestore();
  expect(claim.turnId).toBe(id);
  expect(checkResponsesStream(parseEventStreamText(await replayOf(id)))).toEqual([]);
  expect(await turns.findResponse("user_1", id, loadContext)).toMatchObject({
    response: { id, status: "failed", model: "custom/box/m", error: { code: "server_error" } },
  });
  expect(await queue.claim({ workerId: "other", freePlaces: 1 })).toEqual([]);
});

it("leaves nothing of a turn that was deleted while it ran, and takes it no more", async () => {
  const { id, running } = await run(async (call) => {
    await database.fork().nativeDelete(DurableTurnEntity, { id });
    return {
      callId: call.callId,
      terminal: undefined,
      error: undefined,
      isRetryable: false,
      used: undefined,
      commit: async (_em, response) => expect(response).toBeUndefined(),
    };
  });
  await running;
  expect(await turns.findResponse("user_1", id, loadContext)).toBeUndefined();
  expect(await queue.claim({ workerId: "other", freePlaces: 1 })).toEqual([]);
});

/** Seconds until the lease of a run that is running ends. */
async function leaseSecondsOf(runId: string): Promise<number> {
  const sql = `select extract(epoch from claim_expires_at - clock_timestamp())::float8 as seconds
    from absurd.r_turns where run_id = ? and state = 'running'`;
  const [row] = await database.fork().execute<{ seconds: number }[]>(sql, [runId]);
  return row?.seconds ?? 0;
}

/** Says a mebibyte, which is stored when the promise resolves. */
async function sayMebibyte(call: TurnModelCallInput): Promise<void> {
  const delta = "x".repeat(1024 * 1024);
  void call.push({ type: "response.output_item.added", output_index: 0, item });
  void call.push({ type: "response.content_part.added", ...at, part });
  await call.push({ type: "response.output_text.delta", ...at, delta, logprobs: [] });
}

/** The end of a call that says a text. */
function completed(callId: string, text: string): TurnModelCallOutcome {
  const output = [{ ...item, status: "completed", content: [{ ...part, text }] }];
  const response = { status: "completed", output };
  const terminal = { type: "response.completed", response };
  const commit = async (): Promise<void> => undefined;
  return { callId, terminal, error: undefined, isRetryable: false, used: undefined, commit };
}

it("leases a turn for longer from its first mebibyte on, also where another process takes it", async () => {
  const id = await start();
  const seconds: number[] = [];
  const calls: TurnModelCallInput[] = [];
  let claim = await claimNext();
  const model = new ScriptedModel(() => ({
    pause: async (call) => {
      calls.push(call);
      seconds.push(await leaseSecondsOf(claim.runId));
      if (calls.length > 1) return;
      await sayMebibyte(call);
      seconds.push(await leaseSecondsOf(claim.runId));
      await once(call.signal, "abort");
    },
  }));
  const first = new TurnRun(partsOf(model), claim);
  const running = first.run();
  await waitUntil(() => seconds.length === 2);
  expect(first.isLarge).toBe(true);
  await queue.renew([claim.runId], [claim.runId]);
  seconds.push(await leaseSecondsOf(claim.runId));
  first.loseLease();
  await running;
  await database
    .fork()
    .execute(`update absurd.r_turns set claim_expires_at = clock_timestamp() where run_id = ?`, [
      claim.runId,
    ]);
  claim = await claimNext();
  const read = store.framesAfter.bind(store);
  const page = vi.spyOn(store, "framesAfter").mockImplementationOnce(async (...values) => {
    seconds.push(await leaseSecondsOf(claim.runId));
    return read(...values);
  });
  await new TurnRun(partsOf(model), claim).run();
  page.mockRestore();
  expect(claim.turnId).toBe(id);
  expect(seconds.map((left) => left > 10)).toEqual([false, true, true, true, true]);
});

it("stores the last event of a large turn with its end, and not before", async () => {
  const end = store.end.bind(store);
  const told: string[] = [];
  const spy = vi.spyOn(store, "end").mockImplementation(async (em, id, ...rest) => {
    told.push(await replayOf(id));
    return end(em, id, ...rest);
  });
  const { id, running } = await run(async (call) => {
    await sayMebibyte(call);
    return completed(call.callId, "x".repeat(1024 * 1024));
  });
  await running;
  spy.mockRestore();
  expect(told).toHaveLength(1);
  expect(told[0]).not.toContain("event: response.completed");
  expect(await replayOf(id)).toContain("event: response.completed");
});
