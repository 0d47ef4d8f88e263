import { Migration } from "@mikro-orm/migrations";
import { buildChangeFeedTriggerSql } from "../../platform/database/change-trigger.ts";

/** Custom endpoints and linked vendor credentials. */
export class CreateUpstreamTablesMigration extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create table "upstreams" (
    "id" text not null,
    "account_id" text not null,
    "slug" text not null,
    "label" text not null,
    "base_url" text not null,
    "dialect" text not null,
    "dialect_undecided" boolean not null,
    "headers" text null,
    "api_key" text null,
    "models" text[] not null,
    "model_names" jsonb not null,
    "model_meta" jsonb not null,
    "probe" jsonb null,
    "dial_revision" int not null,
    "created_at" timestamptz(3) not null,
    "updated_at" timestamptz(3) not null,
    "deleted_at" timestamptz(3) null,
    primary key ("id"),
    constraint "upstreams_account_id_slug_unique" unique ("account_id", "slug"),
    constraint "upstreams_dialect_check" check ("dialect" in ('dialect_chat', 'dialect_messages'))
  )`,
  // What model calls do not see (the report of a probe, the time of a change) is left out.
  buildChangeFeedTriggerSql({
    table: "upstreams",
    accountColumn: "account_id",
    columns: ["label", "dialect", "headers", "api_key", "models", "model_meta", "deleted_at"],
  }),

  `create table "vendor_credentials" (
    "id" text not null,
    "account_id" text not null,
    "vendor" text not null,
    "credential" text not null,
    "probe" jsonb null,
    "linked_at" timestamptz(3) not null,
    "updated_at" timestamptz(3) not null,
    primary key ("id"),
    constraint "vendor_credentials_account_id_vendor_unique" unique ("account_id", "vendor")
  )`,
  buildChangeFeedTriggerSql({
    table: "vendor_credentials",
    accountColumn: "account_id",
    columns: ["credential"],
  }),
];
