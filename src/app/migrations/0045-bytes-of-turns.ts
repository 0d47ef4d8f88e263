import { Migration } from "@mikro-orm/migrations";

/**
 * A worker takes turns only while their sealed contents fit in its memory, and an account only
 * while its own fit in its share of that. The functions of before stay for processes of an
 * earlier release, which run until they are replaced.
 */
export class TurnMemoryLimitMigration extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `alter table "absurd"."r_turns" add column "bytes" integer not null default 0`,
  `update "absurd"."r_turns" as run set "bytes" = octet_length(turn."content")
     from "absurd"."t_turns" as task join "turns" as turn on turn."id" = task."params" ->> 'turn_id'
     where task."task_id" = run."task_id" and run."state" in ('pending', 'sleeping', 'running')`,

  `create or replace function causeway_set_run_account() returns trigger language plpgsql as $function$
   declare
     found_turn record;
   begin
     select turn.account_id, octet_length(turn.content) as bytes into found_turn
       from absurd.t_turns as task join turns as turn on turn.id = task.params ->> 'turn_id'
       where task.task_id = new.task_id;
     new.account_id := coalesce(found_turn.account_id, '');
     new.bytes := coalesce(found_turn.bytes, 0);
     return new;
   end
   $function$`,

  `drop index "absurd"."r_turns_waiting_index"`,
  `create index "r_turns_waiting_index" on "absurd"."r_turns" ("account_id", "available_at", "run_id")
     include ("bytes") where "state" = 'pending' and "attempt" = 1`,

  `create function causeway_held_turns(p_worker text)
   returns table (account_id text, places bigint, bytes bigint) language sql stable as $function$
     select run.account_id, count(*), sum(run.bytes) from absurd.r_turns as run
     where run.state = 'running' and run.claim_expires_at is not null and run.claimed_by = p_worker
     group by run.account_id
   $function$`,

  // As before, within p_bytes; an account takes no more than p_account_bytes with what it holds.
  // The first turn of an account passes its bound, and the first of an idle worker both.
  `create function causeway_fair_runs(
     p_worker text, p_count integer, p_free integer,
     p_bytes bigint, p_account_bytes bigint, p_is_idle boolean
   ) returns uuid[] language plpgsql as $function$
   begin
     return array(
       with recursive held as (
         select * from causeway_held_turns(p_worker)
       ), accounts as (
         (select run.account_id from absurd.r_turns as run
           where run.state = 'pending' and run.attempt = 1 order by run.account_id limit 1)
         union all
         select (select run.account_id from absurd.r_turns as run
           where run.state = 'pending' and run.attempt = 1
             and run.account_id > accounts.account_id order by run.account_id limit 1)
         from accounts where accounts.account_id is not null
       ), waiting as (
         select accounts.account_id, run.available_at, run.bytes,
           coalesce(held.places, 0) + row_number() over own as place,
           coalesce(held.bytes, 0) + sum(run.bytes) over own as account_bytes
         from accounts left join held using (account_id)
         cross join lateral (
           select oldest.available_at, oldest.run_id, oldest.bytes from absurd.r_turns as oldest
           where oldest.state = 'pending' and oldest.attempt = 1
             and oldest.account_id = accounts.account_id
           order by oldest.available_at, oldest.run_id limit p_count
         ) as run
         window own as (partition by accounts.account_id
           order by run.available_at, run.run_id rows unbounded preceding)
       ), ordered as (
         select account_id, place, row_number() over line as nth, sum(bytes) over line as bytes
         from waiting where place = 1 or account_bytes <= p_account_bytes
         window line as (order by place, available_at, account_id rows unbounded preceding)
       ), chosen as (
         select account_id, count(*) as turns from ordered
         where nth <= p_count and place - 1 < p_free - (nth - 1)
           and (bytes <= p_bytes or (p_is_idle and nth = 1))
         group by account_id
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

  `create function causeway_orphaned_runs(
     p_worker text, p_count integer, p_bytes bigint, p_account_bytes bigint, p_is_idle boolean
   ) returns uuid[] language plpgsql as $function$
   begin
     return array(
       with orphaned as (
         select run.run_id, run.available_at, run.bytes,
           coalesce(held.places, 0) + row_number() over own as place,
           coalesce(held.bytes, 0) + sum(run.bytes) over own as account_bytes
         from absurd.r_turns as run left join causeway_held_turns(p_worker) as held using (account_id)
         where run.state = 'pending' and run.attempt > 1
         window own as (partition by run.account_id
           order by run.available_at, run.run_id rows unbounded preceding)
       ), ordered as (
         select run_id, row_number() over line as nth, sum(bytes) over line as bytes
         from orphaned where place = 1 or account_bytes <= p_account_bytes
         window line as (order by available_at, run_id rows unbounded preceding)
       )
       select run.run_id from absurd.r_turns as run join ordered using (run_id)
       where run.state = 'pending' and nth <= p_count
         and (ordered.bytes <= p_bytes or (p_is_idle and nth = 1))
       order by nth for update of run skip locked
     );
   end
   $function$`,

  `create function causeway_take_waiting_turns(
     p_worker text, p_seconds integer, p_count integer, p_free integer,
     p_bytes bigint, p_account_bytes bigint, p_is_idle boolean
   ) returns table (run_id uuid, task_id uuid, attempt integer, params jsonb, bytes integer)
   language plpgsql as $function$
   begin
     return query select begun.*, run.bytes from causeway_begin_runs(
         causeway_fair_runs(p_worker, p_count, p_free, p_bytes, p_account_bytes, p_is_idle),
         p_worker, p_seconds) as begun
       join absurd.r_turns as run on run.run_id = begun.run_id;
   end
   $function$`,

  // Orphaned turns first: they ran already, and are promised to go on soon.
  `create function causeway_take_turns(
     p_worker text, p_seconds integer, p_count integer, p_free integer,
     p_bytes bigint, p_account_bytes bigint, p_is_idle boolean
   ) returns table (run_id uuid, task_id uuid, attempt integer, params jsonb, bytes integer)
   language plpgsql as $function$
   declare
     expired record;
     orphaned uuid[];
     taken integer;
     taken_bytes bigint;
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
     orphaned := causeway_orphaned_runs(p_worker, p_count, p_bytes, p_account_bytes, p_is_idle);
     taken := cardinality(orphaned);
     select coalesce(sum(run.bytes), 0) into taken_bytes from absurd.r_turns as run
       where run.run_id = any(orphaned);
     return query select begun.*, run.bytes from causeway_begin_runs(orphaned, p_worker, p_seconds) as begun
       join absurd.r_turns as run on run.run_id = begun.run_id;
     if taken < p_count then
       return query select * from causeway_take_waiting_turns(p_worker, p_seconds,
         p_count - taken, p_free - taken, p_bytes - taken_bytes, p_account_bytes,
         p_is_idle and taken = 0);
     end if;
   end
   $function$`,
];
