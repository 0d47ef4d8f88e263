import { Migration } from "@mikro-orm/migrations";

/** When the models of custom endpoints were made, as the endpoints say. */
export class AddModelCreationTimesMigration extends Migration {
  override up(): void {
    this.addSql(`alter table "upstreams" add column "model_created" jsonb not null default '{}'`);
    this.addSql(`alter table "upstreams" alter column "model_created" drop default`);
  }
}
