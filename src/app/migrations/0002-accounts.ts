import { Migration } from "@mikro-orm/migrations";
import { buildChangeFeedTriggerSql } from "../../platform/database/change-trigger.ts";

/**
 * Users, caller keys, sessions, sign-in codes, the audit trail, idempotency
 * records, sealed settings and outgoing mail.
 */
export class CreateAccountTablesMigration extends Migration {
  override up(): void {
    for (const statement of [...people, ...keys, ...records]) this.addSql(statement);
  }
}

const people = [
  `create table "users" (
    "id" text not null,
    "email" text not null,
    "email_normalised" text not null,
    "name" text null,
    "created_at" timestamptz(3) not null,
    "disabled_at" timestamptz(3) null,
    "deleted_at" timestamptz(3) null,
    primary key ("id")
  )`,
  `create unique index "users_email_normalised_unique" on "users" ("email_normalised")
    where deleted_at is null`,
  // Keys are cached with the state of their user.
  buildChangeFeedTriggerSql({
    table: "users",
    accountColumn: "id",
    columns: ["disabled_at", "deleted_at"],
  }),

  `create table "sessions" (
    "id" text not null,
    "account_id" text not null,
    "user_id" text not null,
    "token_hash" text not null,
    "pepper_id" text not null,
    "created_at" timestamptz(3) not null,
    "last_used_at" timestamptz(3) null,
    "expires_at" timestamptz(3) not null,
    "ended_at" timestamptz(3) null,
    primary key ("id"),
    constraint "sessions_token_hash_unique" unique ("token_hash"),
    constraint "sessions_user_id_foreign" foreign key ("user_id") references "users" ("id")
  )`,
  `create index "sessions_user_id_index" on "sessions" ("user_id")`,

  `create table "sign_in_codes" (
    "id" text not null,
    "email_normalised" text not null,
    "address" text not null,
    "code_hash" text null,
    "tries" int not null,
    "created_at" timestamptz(3) not null,
    "expires_at" timestamptz(3) not null,
    "used_at" timestamptz(3) null,
    primary key ("id")
  )`,
  `create index "sign_in_codes_email_index" on "sign_in_codes" ("email_normalised", "created_at")`,
  `create index "sign_in_codes_address_index" on "sign_in_codes" ("address", "created_at")`,
  `create index "sign_in_codes_created_at_index" on "sign_in_codes" ("created_at")`,
];

const keys = [
  `create table "caller_keys" (
    "id" text not null,
    "account_id" text not null,
    "user_id" text not null,
    "team_id" text null,
    "name" text not null,
    "prefix" text not null,
    "scopes" text[] not null,
    "route" text not null,
    "mode" text not null,
    "allowed_models" text[] not null,
    "budget" jsonb null,
    "rate_limit" jsonb null,
    "created_at" timestamptz(3) not null,
    "rotated_at" timestamptz(3) null,
    "expires_at" timestamptz(3) null,
    "last_used_at" timestamptz(3) null,
    "revoked_at" timestamptz(3) null,
    primary key ("id"),
    constraint "caller_keys_route_check" check ("route" in ('byo', 'credits', 'auto')),
    constraint "caller_keys_mode_check" check ("mode" in ('model', 'agent')),
    constraint "caller_keys_user_id_foreign" foreign key ("user_id") references "users" ("id")
  )`,
  `create index "caller_keys_account_id_index" on "caller_keys" ("account_id")`,
  `create index "caller_keys_user_id_index" on "caller_keys" ("user_id")`,
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
      "rotated_at",
      "expires_at",
      "revoked_at",
    ],
  }),

  `create table "caller_key_secrets" (
    "hash" text not null,
    "pepper_id" text not null,
    "account_id" text not null,
    "key_id" text not null,
    "created_at" timestamptz(3) not null,
    "retired_at" timestamptz(3) null,
    primary key ("hash"),
    constraint "caller_key_secrets_key_id_foreign" foreign key ("key_id") references "caller_keys" ("id")
  )`,
  `create index "caller_key_secrets_key_id_index" on "caller_key_secrets" ("key_id")`,
  // A secret never changes but by rotation, and rotation sets caller_keys.rotated_at: one notice is enough.
];

const records = [
  `create table "audit_events" (
    "id" text not null,
    "account_id" text not null,
    "type" text not null,
    "at" timestamptz(3) not null,
    "actor_user_id" text null,
    "actor_key_id" text null,
    "address" text null,
    "request_id" text null,
    "target" text not null,
    "before" jsonb null,
    "after" jsonb null,
    primary key ("id")
  )`,
  `create index "audit_events_account_id_index" on "audit_events" ("account_id", "at", "id")`,
  `create index "audit_events_at_index" on "audit_events" ("at", "id")`,
  `create function causeway_refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception '% is append-only', tg_table_name;
    end $$`,
  `create trigger "audit_events_append_only" before update or delete or truncate on "audit_events"
    for each statement execute function causeway_refuse_change()`,

  `create table "idempotency_records" (
    "id" text not null,
    "account_id" text not null,
    "body_hash" text not null,
    "attempt" text not null,
    "lease_until" timestamptz(3) null,
    "response" text null,
    "expires_at" timestamptz(3) not null,
    primary key ("id")
  )`,
  `create index "idempotency_records_expires_at_index" on "idempotency_records" ("expires_at")`,

  `create table "sealed_settings" (
    "name" text not null,
    "value" text not null,
    "created_at" timestamptz(3) not null,
    primary key ("name")
  )`,

  `create table "outgoing_mails" (
    "id" text not null,
    "account_id" text null,
    "state" text not null,
    "content" text null,
    "attempts" int not null,
    "created_at" timestamptz(3) not null,
    "due_at" timestamptz(3) not null,
    "expires_at" timestamptz(3) not null,
    primary key ("id"),
    constraint "outgoing_mails_state_check" check ("state" in ('pending', 'sent', 'failed'))
  )`,
  `create index "outgoing_mails_due_at_index" on "outgoing_mails" ("due_at") where state = 'pending'`,
];
