import { Migration } from "@mikro-orm/migrations";

/**
 * Who is idle hears of a turn that waits when the transaction which queued it ends: one that
 * was taken in the same transaction wakes nobody.
 */
export class NotifyWaitingTurnsMigration extends Migration {
  override up(): void {
    this.addSql(`drop trigger "r_turns_change" on "absurd"."r_turns"`);
    this.addSql(
      `create function causeway_notify_waiting_run() returns trigger language plpgsql as $function$
       begin
         perform pg_notify('causeway_change', json_build_object(
             'table', tg_table_name, 'id', run.run_id, 'account_id', null)::text)
           from "absurd"."r_turns" as run
           where run.run_id = new.run_id and run.state in ('pending', 'sleeping');
         return null;
       end
       $function$`,
    );
    this.addSql(
      `create constraint trigger "r_turns_waiting" after insert on "absurd"."r_turns"
         deferrable initially deferred
         for each row execute function causeway_notify_waiting_run()`,
    );
    // Of a turn that was deleted while it ran nothing more is told, and its end is still written.
    this.addSql(
      `create or replace function "causeway_append_turn"(
         "run" uuid, "turn" text, "first" integer, "last" integer, "told" text, "lease" integer
       ) returns void language plpgsql as $$
       begin
         perform absurd.extend_claim('turns', "run", "lease");
         update "turns" set "last_sequence" = "last", "status" = 'in_progress' where "id" = "turn";
         if found then
           insert into "turn_batches" ("id", "turn_id", "first_sequence", "last_sequence", "frames")
             values ("turn" || '/' || "first", "turn", "first", "last", "told")
             on conflict do nothing;
         end if;
       end $$`,
    );
  }
}
