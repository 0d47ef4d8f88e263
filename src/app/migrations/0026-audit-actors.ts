import { Migration } from "@mikro-orm/migrations";

/** Tells the operator, nobody and the server apart, which no id of an event does. */
export class AddAuditActorKindMigration extends Migration {
  override up(): void {
    this.addSql(
      `alter table "audit_events" add column "actor_kind" text null
         constraint "audit_events_actor_kind_check"
           check ("actor_kind" in ('user', 'key', 'operator', 'nobody', 'server'))`,
    );
  }
}
