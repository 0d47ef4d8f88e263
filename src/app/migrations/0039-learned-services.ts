import { Migration } from "@mikro-orm/migrations";
import { buildChangeFeedTriggerSql } from "../../platform/database/change-trigger.ts";

/** What was learned of services, sealed, and the documents of those that are shipped. */
export class CreateLearnedServicesMigration extends Migration {
  override up(): void {
    this.addSql(
      `create table "learned_services" (
        "id" text not null,
        "title" text null,
        "base_url" text null,
        "state" text null,
        "captures" bigint not null,
        "observations" bigint not null,
        "first_day" text null,
        "last_day" text null,
        "templates_count" int not null,
        "published" text null,
        "shipped" boolean not null,
        "updated_at" timestamptz(3) not null,
        "deleted_at" timestamptz(3) null,
        primary key ("id")
      )`,
    );
    this.addSql(
      buildChangeFeedTriggerSql({
        table: "learned_services",
        accountColumn: "id",
        columns: ["published", "shipped"],
      }),
    );
  }
}
