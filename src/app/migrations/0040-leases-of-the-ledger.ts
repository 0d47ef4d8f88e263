import { Migration } from "@mikro-orm/migrations";

/** Only reservations have a lease: the index had an entry for every call that nobody pays for, too. */
export class ReplaceLedgerLeaseIndexMigration extends Migration {
  override up(): void {
    this.addSql(`drop index "ledger_entries_lease_until_index"`);
    this.addSql(
      `create index "ledger_entries_lease_until_index" on "ledger_entries" ("lease_until")
         where "lease_until" is not null`,
    );
  }
}
