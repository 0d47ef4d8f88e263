import { Migration } from "@mikro-orm/migrations";

/** Answers to responses callers whose upstreams keep no state. */
export class CreateStoredResponsesMigration extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create table "kept_responses" (
    "id" text not null,
    "account_id" text not null,
    "previous_id" text null,
    "item_ids" text[] not null,
    "content" text not null,
    "created_at" timestamptz(3) not null,
    "expires_at" timestamptz(3) not null,
    primary key ("id")
  )`,
  `create index "kept_responses_account_id_index" on "kept_responses" ("account_id")`,
  `create index "kept_responses_item_ids_index" on "kept_responses" using gin ("item_ids")`,
  `create index "kept_responses_expires_at_index" on "kept_responses" ("expires_at")`,
  // No change trigger: nothing keeps them in memory.
];
