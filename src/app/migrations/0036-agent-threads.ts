import { Migration } from "@mikro-orm/migrations";

/** Threads of agents, and turns that belong to them: one at a time, in order. */
export class CreateAgentThreadsMigration extends Migration {
  override up(): void {
    this.addSql(
      `create table "agent_threads" (
         "id" text not null primary key,
         "account_id" text not null,
         "session" text not null,
         "history" text null,
         "created_at" timestamptz(3) not null,
         "updated_at" timestamptz(3) not null,
         "expires_at" timestamptz(3) not null,
         "deleted_at" timestamptz(3) null,
         constraint "agent_threads_account_id_session_unique" unique ("account_id", "session")
       )`,
    );
    this.addSql(
      `create index "agent_threads_account_id_index"
         on "agent_threads" ("account_id", "created_at", "id")`,
    );
    this.addSql(`create index "agent_threads_expires_at_index" on "agent_threads" ("expires_at")`);
    this.addSql(
      `alter table "turns" add column "thread_id" text null, add column "position" integer null,
         alter column "expires_at" drop not null`,
    );
    this.addSql(
      `create unique index "turns_thread_id_running_unique" on "turns" ("thread_id")
         where "ended_at" is null`,
    );
    this.addSql(
      `alter table "turns" add constraint "turns_thread_id_position_unique"
         unique ("thread_id", "position")`,
    );
    this.addSql(startStatement);
  }
}

/**
 * A turn of a thread is stored and queued, and a new thread with its first, in one
 * statement: `busy` where the thread is not as it was found, or a turn of it has not ended.
 */
const startStatement = `create function "causeway_start_thread_turn"(
    "turn" text, "account" text, "key" text, "form" smallint, "sealed" text, "told" text,
    "last" integer, "now" timestamptz, "until" timestamptz, "most" integer,
    "thread" text, "name" text, "is_new" boolean, "said" text
  ) returns text language plpgsql as $$
  declare
    "present" text;
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
    if not causeway_start_turn(
      "turn", "account", "key", "form", "sealed", "told", "last", "now", "until", "most"
    ) then
      return 'full';
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
  end $$`;
