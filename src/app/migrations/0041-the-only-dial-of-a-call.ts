import { Migration } from "@mikro-orm/migrations";

/** What nearly every call would say in `attempts`: how long its only dial took, which its target answered. */
export class AddCallDialDurationMigration extends Migration {
  override up(): void {
    this.addSql(`alter table "calls" add column "dial_ms" integer`);
  }
}
