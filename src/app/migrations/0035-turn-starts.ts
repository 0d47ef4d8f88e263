import { Migration } from "@mikro-orm/migrations";

/** A turn is stored with the events that it begins with, and queued, in one statement. */
export class CreateStartTurnFunctionMigration extends Migration {
  override up(): void {
    this.addSql(
      `create function "causeway_start_turn"(
         "turn" text, "account" text, "key" text, "form" smallint, "sealed" text, "told" text,
         "last" integer, "now" timestamptz, "until" timestamptz, "most" integer
       ) returns boolean language plpgsql as $$
       begin
         -- One after the other for a key: two that count at once would both find room.
         perform pg_advisory_xact_lock(hashtextextended('turns of ' || "key", 0));
         if (select count(*) from "turns" where "key_id" = "key" and "ended_at" is null) >= "most" then
           return false;
         end if;
         insert into "turns" ("id", "account_id", "key_id", "status", "format", "content",
             "last_sequence", "created_at", "expires_at")
           values ("turn", "account", "key", 'queued', "form", "sealed", "last", "now", "until");
         insert into "turn_batches" ("id", "turn_id", "first_sequence", "last_sequence", "frames")
           values ("turn" || '/0', "turn", 0, "last", "told");
         perform absurd.spawn_task('turns', 'turn', jsonb_build_object('turn_id', "turn"),
           jsonb_build_object('idempotency_key', "turn"));
         return true;
       end $$`,
    );
  }
}
