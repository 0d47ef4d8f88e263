import { Migration } from "@mikro-orm/migrations";

/** Custom endpoints may speak responses. */
export class AllowResponsesUpstreamMigration extends Migration {
  override up(): void {
    this.addSql(`alter table "upstreams" drop constraint "upstreams_dialect_check"`);
    this.addSql(
      `alter table "upstreams" add constraint "upstreams_dialect_check"
         check ("dialect" in ('dialect_chat', 'dialect_messages', 'dialect_responses'))`,
    );
  }
}
