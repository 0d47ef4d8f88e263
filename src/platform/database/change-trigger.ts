/** Which changes of a table the change feed hears of. */
export interface ChangeFeedTrigger {
  readonly table: string;
  /** Column that names the owning account. */
  readonly accountColumn: string;
  /** Column of the id, `id` if omitted. */
  readonly idColumn?: string;
  /**
   * Columns whose update counts, all if omitted. Leave out what changes at each
   * use, a time of last use for instance, or every use empties the caches.
   */
  readonly columns?: readonly string[];
}

/**
 * SQL of the trigger that announces the changes of a cached table, for a
 * migration: every insert and deletion, and updates of the columns named.
 */
export function buildChangeFeedTriggerSql({
  table,
  accountColumn,
  idColumn = "id",
  columns = [],
}: ChangeFeedTrigger): string {
  const update = columns.length === 0 ? "update" : `update of ${columns.map(quote).join(", ")}`;
  return (
    `create trigger ${quote(`${table}_change`)} after insert or ${update} or delete on ${quote(table)} ` +
    `for each row execute function causeway_notify_change('${accountColumn}', '${idColumn}')`
  );
}

function quote(name: string): string {
  return `"${name}"`;
}
