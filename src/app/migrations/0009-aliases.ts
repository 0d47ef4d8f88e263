import { Migration } from "@mikro-orm/migrations";
import { buildChangeFeedTriggerSql } from "../../platform/database/change-trigger.ts";

/** Personal aliases, and the counter that tells devices what is new. */
export class CreateAliasTablesMigration extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create table "alias_revisions" (
    "account_id" text not null,
    "rev" int not null,
    primary key ("account_id")
  )`,

  `create table "aliases" (
    "account_id" text not null,
    "token" text not null,
    "vendor" text not null,
    "model_id" text null,
    "label" text null,
    "custody" text not null,
    "rev" int not null,
    "updated_at" timestamptz(3) not null,
    "deleted_at" timestamptz(3) null,
    primary key ("account_id", "token"),
    constraint "aliases_custody_check" check ("custody" in ('envelope', 'device-held'))
  )`,
  `create index "aliases_account_id_rev_index" on "aliases" ("account_id", "rev")`,
  buildChangeFeedTriggerSql({
    table: "aliases",
    accountColumn: "account_id",
    idColumn: "token",
    columns: ["rev"],
  }),
];
