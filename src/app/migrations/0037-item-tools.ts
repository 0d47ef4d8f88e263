import { Migration } from "@mikro-orm/migrations";

/** MCP servers of which an agent may use some tools only, or none without an approval. */
export class AddAgentItemToolsMigration extends Migration {
  override up(): void {
    this.addSql(
      `alter table "items"
         add column "tools" text[] not null default '{}',
         add column "approval" text null
         constraint "items_approval_check" check ("approval" in ('never', 'always'))`,
    );
    this.addSql(`alter table "items" alter column "tools" drop default`);
  }
}
