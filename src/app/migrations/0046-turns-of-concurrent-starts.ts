import { Migration } from "@mikro-orm/migrations";

/**
 * Turns are chosen in a statement before the one that returns them. In the same statement, a turn
 * that was committed after it began could be claimed and not returned: its snapshot lacked the row.
 */
export class ReturnClaimedTurnsMigration extends Migration {
  override up(): void {
    this.addSql(`create or replace function causeway_take_waiting_turns(
     p_worker text, p_seconds integer, p_count integer, p_free integer,
     p_bytes bigint, p_account_bytes bigint, p_is_idle boolean
   ) returns table (run_id uuid, task_id uuid, attempt integer, params jsonb, bytes integer)
   language plpgsql as $function$
   declare
     chosen uuid[];
   begin
     chosen := causeway_fair_runs(p_worker, p_count, p_free, p_bytes, p_account_bytes, p_is_idle);
     return query select begun.*, run.bytes
       from causeway_begin_runs(chosen, p_worker, p_seconds) as begun
       join absurd.r_turns as run on run.run_id = begun.run_id;
   end
   $function$`);
  }
}
