import { Migration } from "@mikro-orm/migrations";

/** Who renews a linked login now: two processes must not spend one refresh token. */
export class AddCredentialRefreshClaimMigration extends Migration {
  override up(): void {
    this.addSql(
      `alter table "vendor_credentials" add column "refresh_claim" text null,
         add column "refresh_claimed_until" timestamptz(3) null`,
    );
  }
}
