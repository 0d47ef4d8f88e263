import { Migration } from "@mikro-orm/migrations";

/**
 * A turn starts in its thread only behind the turn that its caller has seen last: what it
 * brings, the results of calls for instance, was checked against that. The functions of before
 * stay for processes of an earlier release, which run until they are replaced.
 */
export class CheckLatestTurnOnStartMigration extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create function "causeway_start_thread_turn"(
     "turn" text, "account" text, "key" text, "form" smallint, "sealed" text, "told" text,
     "last" integer, "now" timestamptz, "until" timestamptz, "most" integer, "most_of_account" integer,
     "thread" text, "name" text, "is_new" boolean, "said" text, "seen" text
   ) returns text language plpgsql as $$
   declare
     "present" text;
   begin
     perform pg_advisory_xact_lock(hashtextextended('thread of ' || "account" || ' ' || "name", 0));
     select "turns"."id" into "present" from "turns" where "turns"."thread_id" = "thread"
       order by "turns"."position" desc limit 1;
     if "present" is distinct from "seen" then
       return 'busy';
     end if;
     return causeway_start_thread_turn("turn", "account", "key", "form", "sealed", "told", "last",
       "now", "until", "most", "most_of_account", "thread", "name", "is_new", "said");
   end $$`,

  `create function "causeway_start_answering_turn"(
     "turn" text, "account" text, "key" text, "form" smallint, "sealed" text, "told" text,
     "last" integer, "now" timestamptz, "until" timestamptz, "most" integer, "most_of_account" integer,
     "thread" text, "name" text, "is_new" boolean, "said" text, "seen" text, "answers" json
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
       "most_of_account", "thread", "name", "is_new", "said", "seen"
     );
     if "start" <> 'started' then
       delete from "turn_answers" using json_array_elements("answers") as "answer" ("given")
         where "account_id" = "account" and "asked" = "given" ->> 'asked';
     end if;
     return "start";
   end $$`,
];
