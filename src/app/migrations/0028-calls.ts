import { Migration } from "@mikro-orm/migrations";
import { buildChangeFeedTriggerSql } from "../../platform/database/change-trigger.ts";

/** The log of calls, a partition for each day, their tags and those of keys. */
export class CreateCallLogTablesMigration extends Migration {
  override up(): void {
    for (const statement of [...log, ...ledger, ...keys]) this.addSql(statement);
  }
}

const log = [
  `create table "calls" (
    "id" text not null,
    "at" timestamptz(3) not null,
    "account_id" text not null,
    "key_id" text not null,
    "request_id" text not null,
    "dialect" text not null,
    "operation" text not null,
    "model" text null,
    "target" text null,
    "route" text null,
    "lane" text null,
    "stream" boolean not null,
    "status" integer not null,
    "error_code" text null,
    "attempts" jsonb null,
    "skipped" jsonb null,
    "ms" integer not null,
    "first_byte_ms" integer null,
    "warnings" jsonb null,
    "tags" jsonb null,
    "tagged" text[] null,
    "turn" text null,
    "repeated" boolean not null,
    primary key ("id", "at")
  ) partition by range ("at")`,
  `create index "calls_at_index" on "calls" ("at")`,
  `create index "calls_account_id_index" on "calls" ("account_id", "at")`,
  `create index "calls_key_id_index" on "calls" ("key_id", "at")`,
  `create index "calls_model_index" on "calls" ("model", "account_id", "at")`,
  // Nearly every call has the status 200: whoever asks for those finds them by their time.
  `create index "calls_status_index" on "calls" ("status", "account_id", "at") where "status" <> 200`,
  `create index "calls_error_code_index" on "calls" ("error_code", "account_id", "at")
     where "error_code" is not null`,
  // Without a list of pending entries, which each search would read through.
  `create index "calls_tagged_index" on "calls" using gin ("tagged") with (fastupdate = off)
     where "tagged" is not null`,
];

const ledger = [
  `alter table "ledger_entries"
     add column "call_id" text null,
     add column "tags" jsonb null,
     add column "repeated" boolean not null default false`,
  `create index "ledger_entries_call_id_index" on "ledger_entries" ("call_id")
     where "call_id" is not null`,

  // Beside the older one, which processes of the release before go on with.
  `create function causeway_reserve(
    p_id text, p_account_id text, p_key_id text, p_model text, p_amount bigint,
    p_limit bigint, p_window_start text, p_rule jsonb, p_now timestamptz, p_lease_until timestamptz,
    p_call_id text, p_tags jsonb, p_repeated boolean
  ) returns text language plpgsql as $function$
  declare
    outcome text := causeway_reserve(
      p_id, p_account_id, p_key_id, p_model, p_amount,
      p_limit, p_window_start, p_rule, p_now, p_lease_until
    );
  begin
    if outcome = 'held' and (p_call_id is not null or p_tags is not null or p_repeated) then
      update ledger_entries set call_id = p_call_id, tags = p_tags, repeated = p_repeated
        where id = p_id;
    end if;
    return outcome;
  end
  $function$`,
];

const keys = [
  `alter table "caller_keys" add column "tags" jsonb null`,
  `drop trigger "caller_keys_change" on "caller_keys"`,
  // Every column but last_used_at, which is written while the key is in use.
  buildChangeFeedTriggerSql({
    table: "caller_keys",
    accountColumn: "account_id",
    columns: [
      "name",
      "prefix",
      "scopes",
      "route",
      "mode",
      "allowed_models",
      "budget",
      "rate_limit",
      "tags",
      "rotated_at",
      "expires_at",
      "revoked_at",
    ],
  }),
];
