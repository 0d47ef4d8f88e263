import { Migration } from "@mikro-orm/migrations";
import { buildChangeFeedTriggerSql } from "../../platform/database/change-trigger.ts";

/** Streams end with the session that opened them, and are counted for each credential. */
export class CreateOpenStreamsMigration extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  buildChangeFeedTriggerSql({
    table: "sessions",
    accountColumn: "account_id",
    columns: ["ended_at"],
  }),

  `create table "open_streams" (
    "id" text not null,
    "credential_id" text not null,
    "procedure" text not null,
    "lease_until" timestamptz(3) not null,
    primary key ("id")
  )`,
  `create index "open_streams_credential_id_index" on "open_streams" ("credential_id", "procedure")`,
  `create index "open_streams_lease_until_index" on "open_streams" ("lease_until")`,
];
