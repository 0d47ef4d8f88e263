import { Migration } from "@mikro-orm/migrations";

/** Aliases of several targets; the first of them is in the columns of those with one, too. */
export class AddAliasTargetsMigration extends Migration {
  override up(): void {
    this.addSql(`alter table "aliases"
      add column "targets" jsonb null,
      add column "strategy" text null,
      add column "affinity" text null,
      add constraint "aliases_strategy_check" check ("strategy" in ('order', 'weighted', 'fastest')),
      add constraint "aliases_affinity_check" check ("affinity" in ('none', 'session'))`);
  }
}
