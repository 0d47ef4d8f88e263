import { Migration } from "@mikro-orm/migrations";

/** Calls know the responses that their upstreams keep, so that these can be asked for. */
export class AddCallResponseIdMigration extends Migration {
  override up(): void {
    this.addSql(`alter table "calls" add column "response_id" text null`);
    this.addSql(
      `create index "calls_response_id_index" on "calls" ("response_id", "account_id")
         where "response_id" is not null`,
    );
  }
}
