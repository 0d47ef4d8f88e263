import { Migration } from "@mikro-orm/migrations";

/**
 * Team keys are revoked when their maker leaves. Those whose maker left before
 * that was so must not live again either, also where the maker is back already.
 */
export class RevokeFormerMemberKeysMigration extends Migration {
  override up(): void {
    this.addSql(
      `update "caller_keys" as k set "revoked_at" = now()
         where k."team_id" is not null and k."revoked_at" is null and not exists (
           select from "team_members" as m
             where m."team_id" = k."team_id" and m."user_id" = k."user_id"
               and m."left_at" is null and m."joined_at" <= k."created_at")`,
    );
  }
}
