import { Migration } from "@mikro-orm/migrations";

/** Who sent an invite, so that mails to strangers can be counted. */
export class AddInviteSenderMigration extends Migration {
  override up(): void {
    this.addSql(`alter table "team_invites" add column "sent_by" text null`);
    this.addSql(
      `create index "team_invites_sent_by_index" on "team_invites" ("sent_by", "created_at")`,
    );
    this.addSql(
      `create index "team_invites_team_index" on "team_invites" ("team_id", "created_at")`,
    );
  }
}
