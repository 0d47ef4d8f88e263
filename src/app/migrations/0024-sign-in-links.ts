import { Migration } from "@mikro-orm/migrations";

/** The link of a sign-in mail has a code of its own, which no wrong guess can spend. */
export class AddSignInLinkCodeMigration extends Migration {
  override up(): void {
    this.addSql(`alter table "sign_in_codes" add column "link_hash" text null`);
  }
}
