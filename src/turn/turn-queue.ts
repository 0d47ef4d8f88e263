import type { EntityManager } from "@mikro-orm/postgresql";
import type { ChangeFeed } from "../platform/database/change-feed.ts";
import type { GivenAnswer, JoinedThread } from "../kernel/durable-turn.ts";
import type { PreparedStatement, RunPrepared } from "../platform/database/prepared-statement.ts";
import { TurnLost } from "./turn-lost.ts";
import type { KeptTurn } from "./turn.entity.ts";

export interface TurnQueueDependencies {
  readonly runPrepared: RunPrepared;
  readonly feed: Pick<ChangeFeed, "on" | "onReset">;
}

/** One attempt of one worker at a turn. */
export interface ClaimedTurn {
  readonly taskId: string;
  readonly runId: string;
  /** 1 for the first; more after a take-over. */
  readonly attempt: number;
  readonly turnId: string;
}

/** A turn as it is stored before it runs; what is sealed is `TurnSchema`'s and `TurnBatchSchema`'s. */
export interface TurnRow extends Pick<
  KeptTurn,
  "id" | "accountId" | "keyId" | "format" | "content" | "lastSequence" | "createdAt"
> {
  /** The events that it begins with. */
  readonly frames: string;
  /** Of a turn of a thread: until then the thread is kept. */
  readonly expiresAt: Date;
  /** Undefined: it belongs to none. */
  readonly thread?: JoinedThread | undefined;
  /** Of a turn of a thread: answers that no other turn begins with. */
  readonly answers?: readonly GivenAnswer[] | undefined;
}

/**
 * `full`: its key has as many as it may; `busy`: its thread is not as it was found;
 * `answered`: another turn has begun with one of its answers.
 */
type TurnStart = "started" | "full" | "busy" | "answered";

/** What became of a turn that was to be stored. */
export interface Started {
  readonly start: TurnStart;
  /** What the worker has taken; undefined: nothing. */
  readonly claim: ClaimedTurn | undefined;
}

type StartRow = { readonly start: TurnStart } & Partial<{
  readonly [Name in keyof ClaimedTurn]: ClaimedTurn[Name] | null;
}>;

/** How long a worker that says nothing more keeps its turns. Renew them at least three times as often. */
export const leaseSeconds = 3;

/** How a turn is stored, by one statement; `startHere` takes the turn that has waited longest as well. */
interface StartStatements {
  readonly start: PreparedStatement;
  readonly startHere: PreparedStatement;
}

/** `call`: SQL of the start, a `TurnStart`, with the values up to `$<count>`. */
function startStatementsOf(name: string, call: string, count: number): StartStatements {
  return {
    start: { name, text: `select ${call} as "start"` },
    startHere: {
      name: `${name}_here`,
      text: `select "started"."start", "claim"."task_id" as "taskId", "claim"."run_id" as "runId",
          "claim"."attempt", "claim"."params" ->> 'turn_id' as "turnId"
        from (select ${call} as "start") as "started"
        left join lateral (
          select * from causeway_claim_turns($${count + 1}, ${leaseSeconds}, 1)
          where "started"."start" = 'started'
        ) as "claim" on true`,
    },
  };
}

const startStatements = startStatementsOf(
  "causeway_start_turn",
  `case when causeway_start_turn($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     then 'started' else 'full' end`,
  10,
);

const startInThreadStatements = startStatementsOf(
  "causeway_start_thread_turn",
  `causeway_start_thread_turn($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
  14,
);

const startAnsweringStatements = startStatementsOf(
  "causeway_start_answering_turn",
  `causeway_start_answering_turn($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
  15,
);

const claimStatement: PreparedStatement = {
  name: "causeway_claim_turns",
  text: `select "task_id" as "taskId", "run_id" as "runId", "attempt", "params" ->> 'turn_id' as "turnId"
    from causeway_claim_turns($1, ${leaseSeconds}, $2)`,
};

/**
 * A run that a transaction has locked is being held, ended or taken at this moment:
 * the next renewal sees what became of it, and this one does not wait.
 */
const renewStatement: PreparedStatement = {
  name: "causeway_renew_turns",
  text: `with "held" as (
      select "run_id" from "absurd"."r_turns"
      where "run_id" = any($1::uuid[]) and "state" = 'running'
      for update skip locked
    ), "renewed" as (
      update "absurd"."r_turns" as "run"
      set "claim_expires_at" = clock_timestamp() + make_interval(secs => ${leaseSeconds})
      from "held" where "run"."run_id" = "held"."run_id"
    )
    select "id" from unnest($1::uuid[]) as "id" where not exists (
      select from "absurd"."r_turns" where "run_id" = "id" and "state" = 'running'
    )`,
};

const nextExpiryStatement: PreparedStatement = {
  name: "causeway_next_turn_expiry",
  text: `select ceil(1000 * extract(epoch from least(
      (select min("claim_expires_at") from "absurd"."r_turns"
        where "state" = 'running' and "claim_expires_at" is not null),
      (select min("available_at") from "absurd"."r_turns" where "state" = 'pending')
    ) - clock_timestamp()))::float8 as "milliseconds"`,
};

const noteStatement: PreparedStatement = {
  name: "causeway_note_turn",
  text: "select absurd.set_task_checkpoint_state('turns', $1, $2, $3::jsonb, $4)",
};

/** A process that dies loses nothing of it, nor does a database, once anything else is committed behind it. */
const noteUnflushedStatement: PreparedStatement = {
  name: "causeway_note_turn_unflushed",
  text: `select set_config('synchronous_commit', 'off', true),
    absurd.set_task_checkpoint_state('turns', $1, $2, $3::jsonb, $4)`,
};

const notesStatement: PreparedStatement = {
  name: "causeway_turn_notes",
  text: `select "state" from absurd.get_task_checkpoint_states('turns', $1, $2)
    order by "updated_at", "checkpoint_name"`,
};

const appendStatement: PreparedStatement = {
  name: "causeway_append_turn",
  text: `select causeway_append_turn($1, $2, $3, $4, $5, ${leaseSeconds})`,
};

/**
 * Turns that wait for a worker, and who holds which: the queue `turns` of Absurd,
 * which only this class speaks to. What a turn is and what its steps made is kept
 * elsewhere; the engine knows its id.
 */
export class TurnQueue {
  readonly #runPrepared: RunPrepared;
  readonly #feed: TurnQueueDependencies["feed"];

  constructor({ runPrepared, feed }: TurnQueueDependencies) {
    this.#runPrepared = runPrepared;
    this.#feed = feed;
  }

  /**
   * Stores a turn with the events that it begins with, and puts it in the queue, which
   * wakes the workers of every process; `workerId`, if given, takes one at once. A key may
   * have `most` that wait or run.
   */
  async start(turn: TurnRow, most: number, workerId: string | undefined): Promise<Started> {
    const { id, accountId, keyId, format, content, frames, lastSequence } = turn;
    const sealed = [id, accountId, keyId, format, content, frames, lastSequence];
    const plain = [...sealed, turn.createdAt, turn.expiresAt, most];
    const { statements, more } = threadStart(turn);
    const values = [...plain, ...more];
    const [row] = await (workerId === undefined
      ? this.#runPrepared<StartRow>(statements.start, values)
      : this.#runPrepared<StartRow>(statements.startHere, [...values, workerId]));
    return { start: row?.start ?? "busy", claim: row && claimIn(row) };
  }

  /** Takes up to `count` turns, those whose worker's lease has run out included, for `leaseSeconds`. */
  async claim(workerId: string, count: number): Promise<readonly ClaimedTurn[]> {
    return this.#runPrepared<ClaimedTurn>(claimStatement, [workerId, count]);
  }

  /** Prolongs the leases of runs by `leaseSeconds` from now, in one statement; those that are no longer running are lost. */
  async renew(runIds: readonly string[]): Promise<{ readonly lost: readonly string[] }> {
    const rows = await this.#runPrepared<{ id: string }>(renewStatement, [runIds]);
    return { lost: rows.map(({ id }) => id) };
  }

  /**
   * Milliseconds until there may be something to claim without a call of
   * `onWaiting`: the earliest end of a lease, 0 when a turn waits already;
   * undefined when no turn runs or waits.
   */
  async nextExpiry(): Promise<number | undefined> {
    const [row] = await this.#runPrepared<{ milliseconds: number | null }>(nextExpiryStatement, []);
    const milliseconds = row?.milliseconds ?? undefined;
    return milliseconds === undefined ? undefined : Math.max(0, milliseconds);
  }

  /** Calls the listener when a turn waits, whoever put it there, and when that may have been missed. */
  onWaiting(listener: () => void): void {
    this.#feed.on("r_turns", listener);
    this.#feed.onReset(listener);
  }

  /**
   * Notes what a step of a turn is about to do, for whoever takes the turn over.
   *
   * @throws TurnLost when the run is no longer this worker's
   */
  async note({ taskId, runId }: ClaimedTurn, step: string, state: object): Promise<void> {
    const values = [taskId, step, JSON.stringify(state), runId];
    await unlessLost(runId, () => this.#runPrepared(noteStatement, values));
  }

  /**
   * The same without waiting for the database's disk, for what is harmless when it is done
   * twice: a machine that fails the moment after may not remember it.
   *
   * @throws TurnLost when the run is no longer this worker's
   */
  async noteUnflushed({ taskId, runId }: ClaimedTurn, step: string, state: object): Promise<void> {
    const values = [taskId, step, JSON.stringify(state), runId];
    await unlessLost(runId, () => this.#runPrepared(noteUnflushedStatement, values));
  }

  /**
   * Notes with the transaction of `em` that a step has ended, and what is told of that,
   * and fences it as `hold` does.
   *
   * @throws TurnLost when the run is no longer this worker's
   */
  async noteEnd(
    em: EntityManager,
    { taskId, runId }: ClaimedTurn,
    step: string,
    told: object = {},
  ): Promise<void> {
    const note = JSON.stringify({ ended: step, ...told });
    await unlessLost(runId, () =>
      em.execute(
        `select absurd.extend_claim('turns', ?::uuid, ${leaseSeconds}),
           absurd.set_task_checkpoint_state('turns', ?::uuid, ?, ?::jsonb, ?::uuid)`,
        [runId, taskId, `${step} ended`, note, runId],
      ),
    );
  }

  /** What was noted of the steps of a turn, oldest first. */
  async notes<State>({ taskId, runId }: ClaimedTurn): Promise<readonly State[]> {
    const rows = await this.#runPrepared<{ state: State }>(notesStatement, [taskId, runId]);
    return rows.map(({ state }) => state);
  }

  /**
   * Keeps a batch of events of a turn (`TurnBatchSchema`, sealed) in one statement.
   *
   * @throws TurnLost when the run is no longer this worker's
   */
  async append(
    { runId, turnId }: ClaimedTurn,
    first: number,
    last: number,
    frames: string,
  ): Promise<void> {
    const values = [runId, turnId, first, last, frames];
    await unlessLost(runId, () => this.#runPrepared(appendStatement, values));
  }

  /**
   * The same with the transaction of `em`.
   *
   * @throws TurnLost when the run is no longer this worker's
   */
  async appendWithin(
    em: EntityManager,
    { runId, turnId }: ClaimedTurn,
    first: number,
    last: number,
    frames: string,
  ): Promise<void> {
    const sql = `select causeway_append_turn(?::uuid, ?, ?, ?, ?, ${leaseSeconds})`;
    await unlessLost(runId, () => em.execute(sql, [runId, turnId, first, last, frames]));
  }

  /**
   * Fences what the transaction of `em` writes: until it ends nobody takes the
   * run, whose lease is prolonged.
   *
   * @throws TurnLost when the run is no longer this worker's
   */
  async hold(em: EntityManager, runId: string): Promise<void> {
    await fence(em, runId, `select absurd.extend_claim('turns', ?::uuid, ${leaseSeconds})`);
  }

  /** Deletes what was noted of the steps of a turn, with the transaction of `em`, which holds its run. */
  async forgetNotes(em: EntityManager, { taskId }: ClaimedTurn): Promise<void> {
    await em.execute(`delete from "absurd"."c_turns" where "task_id" = ?::uuid`, [taskId]);
  }

  /**
   * Ends the turn of a run with the transaction of `em`.
   *
   * @throws TurnLost when the run is no longer this worker's
   */
  async complete(em: EntityManager, runId: string): Promise<void> {
    await fence(em, runId, "select absurd.complete_run('turns', ?::uuid)");
  }
}

/** How a turn starts in its thread, and the values that this takes. */
function threadStart({ thread, answers = [] }: TurnRow): {
  readonly statements: StartStatements;
  readonly more: readonly unknown[];
} {
  if (thread === undefined) return { statements: startStatements, more: [] };
  const more = [thread.id, thread.session, thread.isNew, thread.history];
  return answers.length === 0
    ? { statements: startInThreadStatements, more }
    : { statements: startAnsweringStatements, more: [...more, JSON.stringify(answers)] };
}

function claimIn({ taskId, runId, attempt, turnId }: StartRow): ClaimedTurn | undefined {
  return taskId && runId && attempt && turnId ? { taskId, runId, attempt, turnId } : undefined;
}

/** SQLSTATEs by which the engine refuses a run: cancelled, taken by another, ended (without a code of its own). */
const lostCodes = new Set(["AB001", "AB002", "P0001"]);

async function fence(em: EntityManager, runId: string, sql: string): Promise<void> {
  await unlessLost(runId, () => em.execute(sql, [runId]));
}

async function unlessLost(runId: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw isLoss(error) ? new TurnLost(runId, { cause: error }) : error;
  }
}

function isLoss(error: unknown): boolean {
  return error instanceof Error && "code" in error && lostCodes.has(String(error.code));
}
