import type { EntityManager } from "@mikro-orm/postgresql";
import type { DatabaseChangeFeed } from "../platform/database/change-feed.ts";
import type { CallerToolReply, ThreadContinuation } from "../domain/durable-turn.ts";
import type { PreparedStatementRunner } from "../platform/database/prepared-statement.ts";
import { toStorableJsonText } from "../platform/database/storable-text.ts";
import { TurnLeaseLostError } from "./turn-lease-lost-error.ts";
import {
  appendTurnEventsStatement,
  claimTurnsStatement,
  turnLeaseSeconds,
  recordTurnStepStatement,
  recordTurnStepAsyncCommitStatement,
  recordLeaseLossWithoutCrashStatement,
  listTurnStepRecordsStatement,
  nextTurnWorkHintStatement,
  turnQueuePositionStatement,
  renewTurnLeasesStatement,
  startToolReplyTurnStatements,
  startThreadTurnStatements,
  startTurnStatements,
  type TurnStartStatements,
} from "./turn-statements.ts";
import type { DurableTurn } from "./turn.entity.ts";

export interface TurnQueueDependencies {
  readonly runPrepared: PreparedStatementRunner;
  readonly feed: Pick<DatabaseChangeFeed, "on" | "onReset">;
}

/** One attempt of one worker at a turn. */
export interface ClaimedTurn {
  readonly taskId: string;
  readonly runId: string;
  /** 1 for the first; more after a take-over. */
  readonly attempt: number;
  readonly turnId: string;
  /** The size of its sealed content. */
  readonly bytes: number;
}

/** A turn as it is stored before it runs; what is sealed is `TurnSchema`'s and `TurnEventBatchEntity`'s. */
export interface NewTurnRow extends Pick<
  DurableTurn,
  "id" | "accountId" | "keyId" | "format" | "content" | "lastSequence" | "createdAt"
> {
  /** The events that it begins with. */
  readonly frames: string;
  /** Of a turn of a thread: until then the thread is kept. */
  readonly expiresAt: Date;
  /** Undefined: it belongs to none. */
  readonly thread?: ThreadContinuation | undefined;
  /** Of a turn of a thread: answers that no other turn begins with. */
  readonly answers?: readonly CallerToolReply[] | undefined;
}

/**
 * `full`: its key or account has as many as it may; `busy`: its thread is not as it was found;
 * `answered`: another turn has begun with one of its answers.
 */
export type TurnStartStatus = "started" | "key full" | "account full" | "busy" | "answered";

/** How many turns may wait or run at a time, of all processes together. */
export interface TurnConcurrencyLimits {
  readonly perKey: number;
  readonly perAccount: number;
}

/** Who takes turns. */
export interface TurnWorkerCapacity {
  readonly workerId: string;
  /** Turns that it can run besides those that it runs. */
  readonly freePlaces: number;
  /** If omitted, the worker takes turns of any size. */
  readonly memory?: TurnMemoryCapacity;
}

/** Room for the sealed contents of turns, in bytes. */
export interface TurnMemoryCapacity {
  readonly bytes: number;
  /** The most that one account may have, with the turns that the worker runs for it. Its first turn may have more. */
  readonly accountBytes: number;
  /** The worker runs no turn: it takes the first one whatever its size. */
  readonly isIdle: boolean;
}

const allMemory: TurnMemoryCapacity = {
  bytes: Number.MAX_SAFE_INTEGER,
  accountBytes: Number.MAX_SAFE_INTEGER,
  isIdle: true,
};

/** What there may be to take later. */
export interface TurnQueuePollHint {
  /**
   * Milliseconds until the earliest lease of any process runs out, 0 when an orphaned turn
   * waits; undefined: no turn runs.
   */
  readonly leaseMs: number | undefined;
  /** Turns wait that nobody has begun; others may be taking them, or have no place for them. */
  readonly hasWaiting: boolean;
}

/** What became of a turn that was to be stored. */
export interface TurnEnqueueResult {
  readonly start: TurnStartStatus;
  /** What the worker has taken; undefined: nothing. */
  readonly claim: ClaimedTurn | undefined;
}

type StartRow = { readonly start: TurnStartStatus } & Partial<{
  readonly [Name in keyof ClaimedTurn]: ClaimedTurn[Name] | null;
}>;

/**
 * Turns that wait for a worker, and who holds which: the queue `turns` of Absurd,
 * which only this class speaks to. What a turn is and what its steps made is kept
 * elsewhere; the engine knows its id.
 */
export class TurnQueue {
  readonly #runPrepared: PreparedStatementRunner;
  readonly #feed: TurnQueueDependencies["feed"];

  constructor({ runPrepared, feed }: TurnQueueDependencies) {
    this.#runPrepared = runPrepared;
    this.#feed = feed;
  }

  /**
   * Stores a turn with the events that it begins with, and puts it in the queue, which
   * wakes the workers of every process; `worker`, if given, takes the next one that waits at once.
   * Whatever starts at the same time, no bound is passed.
   */
  async start(
    turn: NewTurnRow,
    bounds: TurnConcurrencyLimits,
    worker?: TurnWorkerCapacity,
  ): Promise<TurnEnqueueResult> {
    const { id, accountId, keyId, format, content, frames, lastSequence } = turn;
    const sealed = [id, accountId, keyId, format, content, frames, lastSequence];
    const plain = [...sealed, turn.createdAt, turn.expiresAt, bounds.perKey, bounds.perAccount];
    const { statements, more } = threadStart(turn);
    const values = [...plain, ...more];
    const [row] = await (worker === undefined
      ? this.#runPrepared<StartRow>(statements.start, values)
      : this.#runPrepared<StartRow>(statements.startHere, [
          ...values,
          worker.workerId,
          worker.freePlaces,
          ...memoryValues(worker),
        ]));
    return { start: row?.start ?? "busy", claim: row && claimIn(row) };
  }

  /**
   * Takes turns for `leaseSeconds`, orphaned ones first, then those that wait, fairly over
   * accounts: an account takes a place only while it holds fewer of this worker's places
   * than are free, so that one alone gets half of them. By default as many as can run. It takes
   * no turn that its memory has no room for.
   */
  async claim(
    worker: TurnWorkerCapacity,
    most = worker.freePlaces,
  ): Promise<readonly ClaimedTurn[]> {
    const { workerId, freePlaces } = worker;
    const values = [workerId, most, freePlaces, ...memoryValues(worker)];
    return this.#runPrepared<ClaimedTurn>(claimTurnsStatement, values);
  }

  /**
   * Prolongs the leases of runs from now, in one statement; those that are no longer running are
   * lost. `largeRunIds`: those of them that belong to large turns.
   */
  async renew(
    runIds: readonly string[],
    largeRunIds: readonly string[] = [],
  ): Promise<{ readonly lost: readonly string[] }> {
    const values = [runIds, largeRunIds];
    const rows = await this.#runPrepared<{ id: string }>(renewTurnLeasesStatement, values);
    return { lost: rows.map(({ id }) => id) };
  }

  async outlook(): Promise<TurnQueuePollHint> {
    const [row] = await this.#runPrepared<{ leaseMs: number | null; hasWaiting: boolean }>(
      nextTurnWorkHintStatement,
      [],
    );
    const leaseMs = row?.leaseMs ?? undefined;
    return {
      leaseMs: leaseMs === undefined ? undefined : Math.max(0, leaseMs),
      hasWaiting: row?.hasWaiting ?? false,
    };
  }

  /** Place of a turn among those that wait, from 1, about; undefined: it does not wait. */
  async position(turnId: string): Promise<number | undefined> {
    const [row] = await this.#runPrepared<{ position: number }>(turnQueuePositionStatement, [
      turnId,
    ]);
    return row?.position;
  }

  /** Calls the listener when a turn waits, whoever put it there, and when that may have been missed. */
  onWaiting(listener: () => void): void {
    this.#feed.on("r_turns", listener);
    this.#feed.onReset(listener);
  }

  /**
   * Calls the listener when a turn was stored, or has got further, at whichever process: a
   * lease runs then, or ran a moment before. A turn that its own process takes as it is
   * stored does not wait, so `onWaiting` does not tell of it.
   */
  onTurn(listener: () => void): void {
    this.#feed.on("turns", listener);
  }

  /**
   * Notes what a step of a turn is about to do, for whoever takes the turn over.
   *
   * @throws TurnLeaseLostError when the run is no longer this worker's
   */
  async recordStep({ taskId, runId }: ClaimedTurn, step: string, state: object): Promise<void> {
    const values = [taskId, step, noteText(state), runId];
    await mapLeaseLoss(runId, () => this.#runPrepared(recordTurnStepStatement, values));
  }

  /**
   * The same without waiting for the database's disk, for what is harmless when it is done
   * twice: a machine that fails the moment after may not remember it.
   *
   * @throws TurnLeaseLostError when the run is no longer this worker's
   */
  async recordStepUnflushed(
    { taskId, runId }: ClaimedTurn,
    step: string,
    state: object,
  ): Promise<void> {
    const values = [taskId, step, noteText(state), runId];
    await mapLeaseLoss(runId, () => this.#runPrepared(recordTurnStepAsyncCommitStatement, values));
  }

  /**
   * Notes with the transaction of `em` that a step has ended, and what is told of that,
   * and fences it as `hold` does.
   *
   * @throws TurnLeaseLostError when the run is no longer this worker's
   */
  async recordStepEnd(
    em: EntityManager,
    { taskId, runId }: ClaimedTurn,
    step: string,
    told: object = {},
    leaseSeconds = turnLeaseSeconds,
  ): Promise<void> {
    const note = noteText({ ended: step, ...told });
    await mapLeaseLoss(runId, () =>
      em.execute(
        `select absurd.extend_claim('turns', ?::uuid, ?),
           absurd.set_task_checkpoint_state('turns', ?::uuid, ?, ?::jsonb, ?::uuid)`,
        [runId, leaseSeconds, taskId, `${step} ended`, note, runId],
      ),
    );
  }

  /** Notes that the model call that was under way when this worker lost the turn has not ended its process. */
  async recordSurvival({ taskId, runId }: ClaimedTurn, callId: string): Promise<void> {
    const values = [taskId, `${callId} survived`, noteText({ survived: callId }), runId];
    await this.#runPrepared(recordLeaseLossWithoutCrashStatement, values);
  }

  /** What was noted of the steps of a turn, oldest first. */
  async stepRecords<State>({ taskId, runId }: ClaimedTurn): Promise<readonly State[]> {
    const rows = await this.#runPrepared<{ state: State }>(listTurnStepRecordsStatement, [
      taskId,
      runId,
    ]);
    return rows.map(({ state }) => state);
  }

  /**
   * Keeps a batch of events of a turn (`TurnEventBatchEntity`, sealed) in one statement.
   *
   * @throws TurnLeaseLostError when the run is no longer this worker's
   */
  async append(
    { runId, turnId }: ClaimedTurn,
    first: number,
    last: number,
    frames: string,
    leaseSeconds = turnLeaseSeconds,
  ): Promise<void> {
    const values = [runId, turnId, first, last, frames, leaseSeconds];
    await mapLeaseLoss(runId, () => this.#runPrepared(appendTurnEventsStatement, values));
  }

  /**
   * The same with the transaction of `em`.
   *
   * @throws TurnLeaseLostError when the run is no longer this worker's
   */
  async appendInTransaction(
    em: EntityManager,
    { runId, turnId }: ClaimedTurn,
    first: number,
    last: number,
    frames: string,
    leaseSeconds = turnLeaseSeconds,
  ): Promise<void> {
    const sql = `select causeway_append_turn(?::uuid, ?, ?, ?, ?, ?)`;
    const values = [runId, turnId, first, last, frames, leaseSeconds];
    await mapLeaseLoss(runId, () => em.execute(sql, values));
  }

  /**
   * Fences what the transaction of `em` writes: until it ends nobody takes the
   * run, whose lease is prolonged.
   *
   * @throws TurnLeaseLostError when the run is no longer this worker's
   */
  async assertLease(em: EntityManager, runId: string): Promise<void> {
    await fence(em, runId, `select absurd.extend_claim('turns', ?::uuid, ${turnLeaseSeconds})`);
  }

  /** Deletes what was noted of the steps of a turn, with the transaction of `em`, which holds its run. */
  async deleteStepRecords(em: EntityManager, { taskId }: ClaimedTurn): Promise<void> {
    await em.execute(`delete from "absurd"."c_turns" where "task_id" = ?::uuid`, [taskId]);
  }

  /**
   * Ends the turn of a run with the transaction of `em`.
   *
   * @throws TurnLeaseLostError when the run is no longer this worker's
   */
  async complete(em: EntityManager, runId: string): Promise<void> {
    await fence(em, runId, "select absurd.complete_run('turns', ?::uuid)");
  }
}

/** JSON of a note. It may hold the name of a model, which is a caller's text. */
function noteText(note: object): string {
  return toStorableJsonText(JSON.stringify(note));
}

/** How a turn starts in its thread, and the values that this takes. */
function threadStart({ thread, answers = [] }: NewTurnRow): {
  readonly statements: TurnStartStatements;
  readonly more: readonly unknown[];
} {
  if (thread === undefined) return { statements: startTurnStatements, more: [] };
  const more = [thread.id, thread.session, thread.isNew, thread.history, thread.lastTurn];
  return answers.length === 0
    ? { statements: startThreadTurnStatements, more }
    : { statements: startToolReplyTurnStatements, more: [...more, JSON.stringify(answers)] };
}

function memoryValues({ memory = allMemory }: TurnWorkerCapacity): readonly unknown[] {
  return [Math.floor(memory.bytes), Math.floor(memory.accountBytes), memory.isIdle];
}

function claimIn({ taskId, runId, attempt, turnId, bytes }: StartRow): ClaimedTurn | undefined {
  if (!taskId || !runId || !attempt || !turnId) return undefined;
  return { taskId, runId, attempt, turnId, bytes: bytes ?? 0 };
}

/** SQLSTATEs by which the engine refuses a run: cancelled, taken by another, ended (without a code of its own). */
const lostCodes = new Set(["AB001", "AB002", "P0001"]);

async function fence(em: EntityManager, runId: string, sql: string): Promise<void> {
  await mapLeaseLoss(runId, () => em.execute(sql, [runId]));
}

async function mapLeaseLoss(runId: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw isLoss(error) ? new TurnLeaseLostError(runId, { cause: error }) : error;
  }
}

function isLoss(error: unknown): boolean {
  return error instanceof Error && "code" in error && lostCodes.has(String(error.code));
}
