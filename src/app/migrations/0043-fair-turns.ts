import { Migration } from "@mikro-orm/migrations";

/**
 * Waiting turns are taken fairly over accounts, and turns are bounded per account. The
 * functions of before stay for processes of an earlier release, which run until they are replaced.
 */
export class FairTurnQueueMigration extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `alter table "absurd"."r_turns" add column "account_id" text not null default ''`,
  `update "absurd"."r_turns" as run set "account_id" = turn."account_id"
     from "absurd"."t_turns" as task join "turns" as turn on turn."id" = task."params" ->> 'turn_id'
     where task."task_id" = run."task_id" and run."state" in ('pending', 'sleeping', 'running')`,

  // The engine inserts runs itself, those of take-overs included. A deleted turn has no account.
  `create function causeway_set_run_account() returns trigger language plpgsql as $function$
   begin
     new.account_id := coalesce(
       (select turn.account_id from absurd.t_turns as task
         join turns as turn on turn.id = task.params ->> 'turn_id'
         where task.task_id = new.task_id), '');
     return new;
   end
   $function$`,
  `create trigger "r_turns_account" before insert on "absurd"."r_turns"
     for each row execute function causeway_set_run_account()`,

  `create index "r_turns_waiting_index" on "absurd"."r_turns" ("account_id", "available_at", "run_id")
     where "state" = 'pending' and "attempt" = 1`,
  `create index "r_turns_orphaned_index" on "absurd"."r_turns" ("available_at", "run_id")
     where "state" = 'pending' and "attempt" > 1`,

  `drop index "turns_running_index"`,
  `create index "turns_running_index" on "turns" ("account_id", "key_id") where "ended_at" is null`,

  // As `absurd.claim_task` claims, for runs that the caller has locked.
  `create function causeway_begin_runs(p_runs uuid[], p_worker text, p_seconds integer)
   returns table (run_id uuid, task_id uuid, attempt integer, params jsonb)
   language sql as $function$
     with begun as (
       update absurd.r_turns as run
       set state = 'running', claimed_by = p_worker, started_at = absurd.current_time(),
         claim_expires_at = absurd.current_time() + make_interval(secs => p_seconds)
       where run.run_id = any(p_runs)
       returning run.run_id, run.task_id, run.attempt, run.available_at
     ), tasks as (
       update absurd.t_turns as task
       set state = 'running', attempts = greatest(task.attempts, begun.attempt),
         first_started_at = coalesce(task.first_started_at, absurd.current_time()),
         last_attempt_run = begun.run_id
       from begun where task.task_id = begun.task_id
       returning task.task_id, task.params
     )
     select begun.run_id, begun.task_id, begun.attempt, tasks.params
     from begun join tasks using (task_id) order by begun.available_at, begun.run_id
   $function$`,

  // Of the waiting turns those of the accounts that hold the fewest places of this worker come
  // first, then the oldest. An account takes a place only while it holds fewer than are free,
  // so there is room for accounts that come later. Locked rows are being taken by others.
  `create function causeway_fair_runs(p_worker text, p_count integer, p_free integer)
   returns uuid[] language plpgsql as $function$
   begin
     return array(
       with recursive held as (
         select run.account_id, count(*) as places from absurd.r_turns as run
         where run.state = 'running' and run.claim_expires_at is not null
           and run.claimed_by = p_worker
         group by run.account_id
       ), accounts as (
         (select run.account_id from absurd.r_turns as run
           where run.state = 'pending' and run.attempt = 1 order by run.account_id limit 1)
         union all
         select (select run.account_id from absurd.r_turns as run
           where run.state = 'pending' and run.attempt = 1
             and run.account_id > accounts.account_id order by run.account_id limit 1)
         from accounts where accounts.account_id is not null
       ), waiting as (
         select accounts.account_id, run.available_at,
           coalesce(held.places, 0) + row_number() over (
             partition by accounts.account_id order by run.available_at, run.run_id) as place
         from accounts left join held using (account_id)
         cross join lateral (
           select oldest.available_at, oldest.run_id from absurd.r_turns as oldest
           where oldest.state = 'pending' and oldest.attempt = 1
             and oldest.account_id = accounts.account_id
           order by oldest.available_at, oldest.run_id limit p_count
         ) as run
       ), ordered as (
         select account_id, place, row_number() over (order by place, available_at) as nth
         from waiting
       ), chosen as (
         select account_id, count(*) as turns from ordered
         where nth <= p_count and place - 1 < p_free - (nth - 1) group by account_id
       )
       select run.run_id from chosen cross join lateral (
         select oldest.run_id from absurd.r_turns as oldest
         where oldest.state = 'pending' and oldest.attempt = 1
           and oldest.account_id = chosen.account_id
         order by oldest.available_at, oldest.run_id limit chosen.turns for update skip locked
       ) as run
     );
   end
   $function$`,

  // Orphaned turns first, whoever's they are: they ran already, and are promised to go on soon.
  `create function causeway_take_turns(
     p_worker text, p_seconds integer, p_count integer, p_free integer
   ) returns table (run_id uuid, task_id uuid, attempt integer, params jsonb)
   language plpgsql as $function$
   declare
     expired record;
     taken integer;
   begin
     for expired in
       select run.run_id, run.claimed_by, run.claim_expires_at, run.attempt
       from absurd.r_turns as run
       where run.state = 'running' and run.claim_expires_at is not null
         and run.claim_expires_at <= absurd.current_time()
       order by run.claim_expires_at, run.run_id limit p_count for update skip locked
     loop
       perform absurd.fail_run('turns', expired.run_id, jsonb_build_object(
         'name', '$ClaimTimeout', 'workerId', expired.claimed_by,
         'claimExpiredAt', expired.claim_expires_at, 'attempt', expired.attempt));
     end loop;
     return query select * from causeway_begin_runs(array(
       select run.run_id from absurd.r_turns as run
       where run.state = 'pending' and run.attempt > 1
       order by run.available_at, run.run_id limit p_count for update skip locked
     ), p_worker, p_seconds);
     get diagnostics taken = row_count;
     if taken < p_count then
       return query select * from causeway_begin_runs(
         causeway_fair_runs(p_worker, p_count - taken, p_free - taken), p_worker, p_seconds);
     end if;
   end
   $function$`,

  // One after the other for an account, whichever process asks: two that count at once would
  // both find room.
  `create function "causeway_start_turn"(
     "turn" text, "account" text, "key" text, "form" smallint, "sealed" text, "told" text,
     "last" integer, "now" timestamptz, "until" timestamptz, "most" integer, "most_of_account" integer
   ) returns text language plpgsql as $$
   declare
     "of_account" integer;
     "of_key" integer;
   begin
     perform pg_advisory_xact_lock(hashtextextended('turns of ' || "account", 0));
     select count(*), count(*) filter (where "key_id" = "key") into "of_account", "of_key"
       from "turns" where "account_id" = "account" and "ended_at" is null;
     if "of_key" >= "most" then
       return 'key full';
     end if;
     if "of_account" >= "most_of_account" then
       return 'account full';
     end if;
     insert into "turns" ("id", "account_id", "key_id", "status", "format", "content",
         "last_sequence", "created_at", "expires_at")
       values ("turn", "account", "key", 'queued', "form", "sealed", "last", "now", "until");
     insert into "turn_batches" ("id", "turn_id", "first_sequence", "last_sequence", "frames")
       values ("turn" || '/0', "turn", 0, "last", "told");
     perform absurd.spawn_task('turns', 'turn', jsonb_build_object('turn_id', "turn"),
       jsonb_build_object('idempotency_key', "turn"));
     return 'started';
   end $$`,

  `create function "causeway_start_thread_turn"(
     "turn" text, "account" text, "key" text, "form" smallint, "sealed" text, "told" text,
     "last" integer, "now" timestamptz, "until" timestamptz, "most" integer, "most_of_account" integer,
     "thread" text, "name" text, "is_new" boolean, "said" text
   ) returns text language plpgsql as $$
   declare
     "present" text;
     "start" text;
   begin
     perform pg_advisory_xact_lock(hashtextextended('thread of ' || "account" || ' ' || "name", 0));
     select "agent_threads"."id" into "present" from "agent_threads"
       where "agent_threads"."account_id" = "account" and "agent_threads"."session" = "name"
         and "agent_threads"."deleted_at" is null and "agent_threads"."expires_at" > "now"
       for update;
     if "is_new" <> ("present" is null) or "present" <> "thread" then
       return 'busy';
     end if;
     if exists (select from "turns" where "thread_id" = "thread" and "ended_at" is null) then
       return 'busy';
     end if;
     "start" := causeway_start_turn("turn", "account", "key", "form", "sealed", "told", "last",
       "now", "until", "most", "most_of_account");
     if "start" <> 'started' then
       return "start";
     end if;
     if "is_new" then
       -- One of that name that was deleted, or has passed its time, makes room.
       delete from "turns" using "agent_threads"
         where "turns"."thread_id" = "agent_threads"."id"
           and "agent_threads"."account_id" = "account" and "agent_threads"."session" = "name";
       insert into "agent_threads"
           ("id", "account_id", "session", "history", "created_at", "updated_at", "expires_at")
         values ("thread", "account", "name", "said", "now", "now", "until")
         on conflict on constraint "agent_threads_account_id_session_unique" do update
           set "id" = excluded."id", "history" = excluded."history",
             "created_at" = excluded."created_at", "updated_at" = excluded."updated_at",
             "expires_at" = excluded."expires_at", "deleted_at" = null;
     else
       update "agent_threads" set "updated_at" = "now", "expires_at" = "until"
         where "agent_threads"."id" = "thread";
     end if;
     -- It is kept as long as its thread, which each later turn prolongs.
     update "turns" set "thread_id" = "thread", "expires_at" = null,
         "position" = (
           select coalesce(max("before"."position"), 0) + 1 from "turns" as "before"
           where "before"."thread_id" = "thread"
         )
       where "turns"."id" = "turn";
     return 'started';
   end $$`,

  `create function "causeway_start_answering_turn"(
     "turn" text, "account" text, "key" text, "form" smallint, "sealed" text, "told" text,
     "last" integer, "now" timestamptz, "until" timestamptz, "most" integer, "most_of_account" integer,
     "thread" text, "name" text, "is_new" boolean, "said" text, "answers" json
   ) returns text language plpgsql as $$
   declare
     "start" text;
   begin
     begin
       insert into "turn_answers"
           ("account_id", "asked", "verdict", "turn_id", "thread_id", "expires_at")
         select "account", "given" ->> 'asked', "given" ->> 'verdict', "turn", "thread", "until"
         from json_array_elements("answers") as "answer" ("given")
         order by "given" ->> 'asked';
     exception when unique_violation then
       return 'answered';
     end;
     "start" := causeway_start_thread_turn(
       "turn", "account", "key", "form", "sealed", "told", "last", "now", "until", "most",
       "most_of_account", "thread", "name", "is_new", "said"
     );
     if "start" <> 'started' then
       delete from "turn_answers" using json_array_elements("answers") as "answer" ("given")
         where "account_id" = "account" and "asked" = "given" ->> 'asked';
     end if;
     return "start";
   end $$`,
];
