import { Migration } from "@mikro-orm/migrations";
import { buildChangeFeedTriggerSql } from "../../platform/database/change-trigger.ts";

/** Every change of an endpoint is told, a probe that found nothing new included. */
export class NotifyUpstreamProbesMigration extends Migration {
  override up(): void {
    this.addSql(`drop trigger "upstreams_change" on "upstreams"`);
    this.addSql(buildChangeFeedTriggerSql({ table: "upstreams", accountColumn: "account_id" }));
  }
}
