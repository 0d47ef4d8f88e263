import { Migration } from "@mikro-orm/migrations";
import { buildChangeTriggerSql } from "../../platform/database/change-trigger.ts";

/** Every change of an endpoint is told, a probe that found nothing new included. */
export class NotifyEndpointProbesMigration extends Migration {
  override up(): void {
    this.addSql(`drop trigger "upstreams_change" on "upstreams"`);
    this.addSql(buildChangeTriggerSql({ table: "upstreams", accountColumn: "account_id" }));
  }
}
