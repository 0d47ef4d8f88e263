import { Migration } from "@mikro-orm/migrations";

/**
 * The trigger function by which caches hear of changes (`change-feed.ts`). A
 * trigger names the column of the account, and the column of the id where that
 * is not `id`: see `change-trigger.ts`. A row that moves to another account is
 * announced to both.
 */
export class CreateChangeNotificationMigration extends Migration {
  override up(): void {
    this.addSql(`
      create function causeway_notify_change() returns trigger language plpgsql as $function$
      declare
        account_column constant text := tg_argv[0];
        id_column constant text := case when tg_nargs > 1 then tg_argv[1] else 'id' end;
        before constant jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
        after constant jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
      begin
        -- Equal notifications of one transaction are sent once.
        perform pg_notify('causeway_change', json_build_object(
            'table', tg_table_name, 'id', version ->> id_column, 'account_id', version ->> account_column)::text)
          from unnest(array[before, after]) as version
          where version is not null;
        return null;
      end
      $function$`);
  }
}
