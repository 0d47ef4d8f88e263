import { Migration } from "@mikro-orm/migrations";

/** What registries and other sources of the dependency-health service said. */
export class CreateDependencyCacheMigration extends Migration {
  override up(): void {
    this.addSql(`create table "dependency_cache" (
      "id" text not null,
      "document" text null,
      "etag" text null,
      "last_modified" text null,
      "observed_at" timestamptz(3) not null,
      "fresh_until" timestamptz(3) not null,
      "kept_until" timestamptz(3) not null,
      primary key ("id")
    )`);
    this.addSql(
      `create index "dependency_cache_kept_until_index" on "dependency_cache" ("kept_until")`,
    );
  }
}
