import { Migration } from "@mikro-orm/migrations";

/** What callers of the tools said they were about. */
export class CreateTaskContextsMigration extends Migration {
  override up(): void {
    this.addSql(`create table "task_contexts" (
      "id" text not null,
      "text" text not null,
      "tool" text not null,
      "ecosystem" text null,
      "day" text not null,
      primary key ("id")
    )`);
    this.addSql(`create index "task_contexts_day_index" on "task_contexts" ("day", "id")`);
  }
}
