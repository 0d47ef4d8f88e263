import type { PreparedStatement } from "../platform/database/prepared-statement.ts";

/** How long a worker that says nothing more keeps its turns. Renew them at least three times as often. */
export const turnLeaseSeconds = 3;

/**
 * Lease of a large turn. Its events may keep a process busy for longer than three seconds, in which
 * it cannot renew the lease, and the next process would be as slow.
 */
export const largeTurnLeaseSeconds = 30;

/** How a turn is stored, by one statement; `startHere` takes the waiting turn that is next as well. */
export interface TurnStartStatements {
  readonly start: PreparedStatement;
  readonly startHere: PreparedStatement;
}

/** `call`: SQL of the start, a `TurnStartStatus`, with the values up to `$<count>`. */
function startStatementsOf(name: string, call: string, count: number): TurnStartStatements {
  return {
    start: { name, text: `select ${call} as "start"` },
    startHere: {
      name: `${name}_here`,
      text: `select "started"."start", "claim"."task_id" as "taskId", "claim"."run_id" as "runId",
          "claim"."attempt", "claim"."params" ->> 'turn_id' as "turnId", "claim"."bytes"
        from (select ${call} as "start") as "started"
        left join lateral (
          select * from causeway_take_waiting_turns($${count + 1}, ${turnLeaseSeconds}, 1,
            $${count + 2}, $${count + 3}, $${count + 4}, $${count + 5})
          where "started"."start" = 'started'
        ) as "claim" on true`,
    },
  };
}

export const startTurnStatements = startStatementsOf(
  "causeway_start_turn",
  `causeway_start_turn($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
  11,
);

export const startThreadTurnStatements = startStatementsOf(
  "causeway_start_thread_turn",
  `causeway_start_thread_turn($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
  16,
);

export const startToolReplyTurnStatements = startStatementsOf(
  "causeway_start_answering_turn",
  `causeway_start_answering_turn($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
  17,
);

export const claimTurnsStatement: PreparedStatement = {
  name: "causeway_take_turns",
  text: `select "task_id" as "taskId", "run_id" as "runId", "attempt", "params" ->> 'turn_id' as "turnId",
      "bytes"
    from causeway_take_turns($1, ${turnLeaseSeconds}, $2, $3, $4, $5, $6)`,
};

/**
 * A run that a transaction has locked is being held, ended or taken at this moment:
 * the next renewal sees what became of it, and this one does not wait.
 */
export const renewTurnLeasesStatement: PreparedStatement = {
  name: "causeway_renew_turn_leases",
  isUrgent: true,
  text: `with "held" as (
      select "run_id" from "absurd"."r_turns"
      where "run_id" = any($1::uuid[]) and "state" = 'running'
      for update skip locked
    ), "renewed" as (
      update "absurd"."r_turns" as "run"
      set "claim_expires_at" = clock_timestamp() + make_interval(secs =>
        case when "run"."run_id" = any($2::uuid[]) then ${largeTurnLeaseSeconds} else ${turnLeaseSeconds} end)
      from "held" where "run"."run_id" = "held"."run_id"
    )
    select "id" from unnest($1::uuid[]) as "id" where not exists (
      select from "absurd"."r_turns" where "run_id" = "id" and "state" = 'running'
    )`,
};

/** Ordered, so that the planner reads the first entry of a small index, whatever else is in the table. */
export const nextTurnWorkHintStatement: PreparedStatement = {
  name: "causeway_turns_outlook",
  text: `select case
      when (select true from "absurd"."r_turns" where "state" = 'pending' and "attempt" > 1
        order by "available_at", "run_id" limit 1) then 0
      else ceil(1000 * extract(epoch from (
        select min("claim_expires_at") from "absurd"."r_turns"
        where "state" = 'running' and "claim_expires_at" is not null
      ) - clock_timestamp()))::float8
    end as "leaseMs",
    coalesce((select true from "absurd"."r_turns" where "state" = 'pending' and "attempt" = 1
      order by "account_id", "available_at", "run_id" limit 1), false) as "hasWaiting"`,
};

/**
 * In the order in which turns are taken where no account holds more places than another:
 * behind the older ones of its account, and as many of each other account.
 */
export const turnQueuePositionStatement: PreparedStatement = {
  name: "causeway_turn_position",
  text: `with recursive "own" as (
      select "run"."account_id", "run"."available_at", "run"."run_id"
      from "absurd"."t_turns" as "task" join "absurd"."r_turns" as "run" using ("task_id")
      where "task"."idempotency_key" = $1 and "run"."state" = 'pending' and "run"."attempt" = 1
    ), "older" as (
      select count(*) as "turns" from "own" join "absurd"."r_turns" as "run"
        on "run"."account_id" = "own"."account_id"
      where "run"."state" = 'pending' and "run"."attempt" = 1
        and ("run"."available_at", "run"."run_id") < ("own"."available_at", "own"."run_id")
    ), "accounts" as (
      (select "account_id" from "absurd"."r_turns"
        where "state" = 'pending' and "attempt" = 1 order by "account_id" limit 1)
      union all
      select (select "run"."account_id" from "absurd"."r_turns" as "run"
        where "run"."state" = 'pending' and "run"."attempt" = 1
          and "run"."account_id" > "accounts"."account_id" order by "run"."account_id" limit 1)
      from "accounts" where "accounts"."account_id" is not null
    )
    select (1 + "older"."turns" + (
      select count(*) from "accounts" cross join lateral (
        select "run"."available_at",
          row_number() over (order by "run"."available_at", "run"."run_id") as "place"
        from "absurd"."r_turns" as "run"
        where "run"."state" = 'pending' and "run"."attempt" = 1
          and "run"."account_id" = "accounts"."account_id"
        order by "run"."available_at", "run"."run_id" limit "older"."turns" + 1
      ) as "other"
      where "accounts"."account_id" <> "own"."account_id"
        and ("other"."place" <= "older"."turns" or "other"."available_at" < "own"."available_at")
    ))::integer as "position" from "own", "older"`,
};

export const recordTurnStepStatement: PreparedStatement = {
  name: "causeway_note_turn",
  text: "select absurd.set_task_checkpoint_state('turns', $1, $2, $3::jsonb, $4)",
};

/** A process that dies loses nothing of it, nor does a database, once anything else is committed behind it. */
export const recordTurnStepAsyncCommitStatement: PreparedStatement = {
  name: "causeway_note_turn_unflushed",
  text: `select set_config('synchronous_commit', 'off', true),
    absurd.set_task_checkpoint_state('turns', $1, $2, $3::jsonb, $4)`,
};

/** By a worker whose lease ran out: its run is no longer its own, so nothing fences this note. */
export const recordLeaseLossWithoutCrashStatement: PreparedStatement = {
  name: "causeway_note_survival",
  text: `insert into "absurd"."c_turns" ("task_id", "checkpoint_name", "state", "owner_run_id")
    select "task_id", $2, $3::jsonb, $4::uuid from "absurd"."t_turns"
    where "task_id" = $1 and "state" not in ('completed', 'failed', 'cancelled')
    on conflict do nothing`,
};

export const listTurnStepRecordsStatement: PreparedStatement = {
  name: "causeway_turn_notes",
  text: `select "state" from absurd.get_task_checkpoint_states('turns', $1, $2)
    order by "updated_at", "checkpoint_name"`,
};

export const appendTurnEventsStatement: PreparedStatement = {
  name: "causeway_append_turn_events",
  text: `select causeway_append_turn($1, $2, $3, $4, $5, $6)`,
};
