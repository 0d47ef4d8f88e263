import { Migration } from "@mikro-orm/migrations";

/** Items of people, and the pools of teams. */
export class CreateAgentItemTablesMigration extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create table "items" (
    "id" text not null,
    "account_id" text not null,
    "kind" text not null,
    "name" text null,
    "url" text null,
    "headers" text null,
    "description" text null,
    "text" text null,
    "content_revision" int not null,
    "created_at" timestamptz(3) not null,
    "updated_at" timestamptz(3) not null,
    "deleted_at" timestamptz(3) null,
    primary key ("id"),
    constraint "items_kind_check" check ("kind" in ('mcp', 'rules', 'skills'))
  )`,
  `create index "items_account_id_index" on "items" ("account_id", "created_at", "id")`,

  `create table "pooled_items" (
    "account_id" text not null,
    "item_id" text not null,
    "owner_id" text not null,
    "pooled_at" timestamptz(3) not null,
    "removed_at" timestamptz(3) null,
    primary key ("account_id", "item_id"),
    constraint "pooled_items_item_id_foreign" foreign key ("item_id") references "items" ("id")
  )`,
  `create index "pooled_items_account_id_index" on "pooled_items" ("account_id", "pooled_at", "item_id")`,
  `create index "pooled_items_item_id_index" on "pooled_items" ("item_id")`,
  // No change trigger: nothing keeps items in memory.
];
