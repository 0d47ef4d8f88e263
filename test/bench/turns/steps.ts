import { pino } from "pino";
import { databaseEntities } from "../../../src/app/entities.ts";
import { SecretBox } from "../../../src/platform/crypto/secret-box.ts";
import { openMigratedDatabase } from "../../../src/platform/database/database.ts";
import { TurnQueue, type ClaimedTurn } from "../../../src/turn/turn-queue.ts";
import { createUnstartedStoredTurn } from "../../../src/turn/turn-snapshot.ts";
import { TurnStore } from "../../../src/turn/turn-store.ts";
import { figure } from "../report/figure.ts";
import { tableOf, type Table } from "../report/table.ts";
import { median } from "../statistics.ts";

const stepsOfRound = 200;

/** Twenty events of some 200 characters, as a quarter of a second of an answer has them. */
const frames = Array.from({ length: 20 }, () => `data: ${"x".repeat(200)}\n\n`);

/** Milliseconds of what the engine and the log of events add to a step, by the classes that turns are run with. */
export async function stepTable(connectionString: string, rounds: number): Promise<Table> {
  const log = pino({ level: "error" }, pino.destination(2));
  const database = await openMigratedDatabase({
    connectionString,
    entities: databaseEntities,
    log,
  });
  const fork = () => database.fork();
  const feed = { on: () => undefined, onReset: () => undefined };
  const queue = new TurnQueue({ runPrepared: database.runPrepared, feed });
  const box = new SecretBox([Buffer.alloc(32)]);
  const store = new TurnStore({ fork, box, clock: Date, days: 1, threadsDays: 1 });
  const claim = await startedTurn(queue, store);
  const step = async (at: number): Promise<void> => {
    await queue.recordStep(claim, `${at} begins`, { callId: `${at}`, toldBefore: at });
    await fork().transactional((em) => queue.recordStepEnd(em, claim, `${at}`));
  };
  const batch = async (at: number): Promise<void> => {
    const first = at * frames.length;
    const sealed = await store.sealFrames(claim.turnId, first, frames);
    await queue.append(claim, first, first + frames.length - 1, sealed);
  };
  const times: (readonly [what: string, ms: readonly number[]])[] = [];
  for (const [what, work] of [
    ["a step", step] as const,
    ["a batch of 20 events", batch] as const,
  ]) {
    times.push([what, await timesOf(work, rounds)]);
  }
  await fork().transactional((em) => queue.complete(em, claim.runId));
  await database.close();
  return tableOf(
    "Steps",
    `Milliseconds: best and median of ${rounds} rounds of ${stepsOfRound}. A step is its intent and the transaction of its outcome.`,
    [
      { heading: "what", cell: ([what]) => what },
      { heading: "best", cell: ([, ms]) => figure(Math.min(...ms), 2) },
      { heading: "median", cell: ([, ms]) => figure(median(ms), 2) },
    ],
    times,
  );
}

async function startedTurn(queue: TurnQueue, store: TurnStore): Promise<ClaimedTurn> {
  const request = { requestId: "", address: "", callId: "", headers: {}, body: "" };
  const id = "turn_00000000000000000000000000";
  const turn = { id, accountId: "user_a", keyId: "key_a", request, input: [], response: {} };
  const row = await store.rowOf(createUnstartedStoredTurn(turn, 1), ["data: {}\n\n"]);
  await queue.start(row, { perKey: 1, perAccount: 1 });
  const [claim] = await queue.claim({ workerId: "bench", freePlaces: 1 });
  if (claim === undefined) throw new Error("Somebody else took the turn.");
  return claim;
}

/** Milliseconds of one, of each round. */
async function timesOf(work: (at: number) => Promise<void>, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    for (let at = 0; at < stepsOfRound; at += 1) await work(round * stepsOfRound + at + 1);
    times.push((performance.now() - began) / stepsOfRound);
  }
  return times;
}
