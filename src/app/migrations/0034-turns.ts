import { Migration } from "@mikro-orm/migrations";
import { buildChangeFeedTriggerSql } from "../../platform/database/change-trigger.ts";

/** Answers that are made independently of a connection, and their events. */
export class CreateTurnsMigration extends Migration {
  override up(): void {
    this.addSql(
      `create table "turns" (
         "id" text not null primary key,
         "account_id" text not null,
         "key_id" text not null,
         "status" text not null check ("status" in
           ('queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled')),
         "format" smallint not null,
         "content" text not null,
         "response" text null,
         "last_sequence" integer not null,
         "cancelled_at" timestamptz(3) null,
         "created_at" timestamptz(3) not null,
         "ended_at" timestamptz(3) null,
         "expires_at" timestamptz(3) not null
       )`,
    );
    this.addSql(`create index "turns_account_id_index" on "turns" ("account_id")`);
    this.addSql(
      `create index "turns_running_index" on "turns" ("key_id") where "ended_at" is null`,
    );
    this.addSql(`create index "turns_expires_at_index" on "turns" ("expires_at")`);
    this.addSql(
      `create table "turn_batches" (
         "id" text not null primary key,
         "turn_id" text not null constraint "turn_batches_turn_id_foreign"
           references "turns" ("id") on update no action on delete cascade,
         "first_sequence" integer not null,
         "last_sequence" integer not null,
         "frames" text not null
       )`,
    );
    this.addSql(
      `create index "turn_batches_turn_id_index" on "turn_batches" ("turn_id", "last_sequence")`,
    );
    this.addSql(buildChangeFeedTriggerSql({ table: "turns", accountColumn: "account_id" }));
    // One statement a batch: whose run was lost writes nothing.
    this.addSql(
      `create function "causeway_append_turn"(
         "run" uuid, "turn" text, "first" integer, "last" integer, "told" text, "lease" integer
       ) returns void language plpgsql as $$
       begin
         perform absurd.extend_claim('turns', "run", "lease");
         insert into "turn_batches" ("id", "turn_id", "first_sequence", "last_sequence", "frames")
           values ("turn" || '/' || "first", "turn", "first", "last", "told")
           on conflict do nothing;
         update "turns" set "last_sequence" = "last", "status" = 'in_progress' where "id" = "turn";
       end $$`,
    );
  }
}
