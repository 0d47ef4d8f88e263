import { Migration } from "@mikro-orm/migrations";

/**
 * Answers of callers that begin a turn, each given once: the primary key decides between
 * requests that come at the same time, at any process.
 */
export class CreateTurnAnswersMigration extends Migration {
  override up(): void {
    this.addSql(
      `create table "turn_answers" (
         "account_id" text not null,
         "asked" text not null,
         "verdict" text not null,
         "turn_id" text not null,
         "thread_id" text not null,
         "expires_at" timestamptz(3) not null,
         constraint "turn_answers_pkey" primary key ("account_id", "asked")
       )`,
    );
    this.addSql(`create index "turn_answers_expires_at_index" on "turn_answers" ("expires_at")`);
    this.addSql(startStatement);
  }
}

/**
 * Starts a turn of a thread together with the answers that it gives: `answered` where
 * another turn has given one of them. In the order of their names, so that no two wait
 * for each other.
 */
const startStatement = `create function "causeway_start_answering_turn"(
    "turn" text, "account" text, "key" text, "form" smallint, "sealed" text, "told" text,
    "last" integer, "now" timestamptz, "until" timestamptz, "most" integer,
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
      "thread", "name", "is_new", "said"
    );
    if "start" <> 'started' then
      delete from "turn_answers" using json_array_elements("answers") as "answer" ("given")
        where "account_id" = "account" and "asked" = "given" ->> 'asked';
    end if;
    return "start";
  end $$`;
