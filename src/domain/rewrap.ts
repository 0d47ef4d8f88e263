import type { EntityManager } from "@mikro-orm/postgresql";
import type { SecretBox } from "../platform/crypto/secret-box.ts";

/** A column of sealed values; its binding is the table, the row's id and the column. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** Column that names the row: the primary key. */
  readonly rowId: string;
}

/** The sealed columns of accounts and of platform/mail. Other domains have their own lists. */
export const platformSealedColumns: readonly SealedColumn[] = [
  { table: "sealed_settings", column: "value", rowId: "name" },
  { table: "idempotency_records", column: "response", rowId: "id" },
  { table: "outgoing_mails", column: "content", rowId: "id" },
];

/** What a run did to one column. */
export interface SealedColumnRewrapCount {
  readonly table: string;
  readonly column: string;
  /** Values that were there. */
  readonly seen: number;
  /** Values that were moved to the first master key. */
  readonly moved: number;
}

interface SealedRow {
  readonly id: string;
  readonly sealed: string;
}

const batchSize = 500;

/**
 * Moves every sealed value to the first master key (`causeway keys rewrap`). It
 * may be broken off and started again, and run while the server does: values
 * that are current already are passed over, and one that changes meanwhile is
 * left as it was written.
 */
export async function rewrapSealedColumns(
  em: EntityManager,
  box: SecretBox,
  columns: readonly SealedColumn[],
): Promise<SealedColumnRewrapCount[]> {
  const counts: SealedColumnRewrapCount[] = [];
  for (const column of columns) counts.push(await rewrapColumn(em, box, column));
  return counts;
}

async function rewrapColumn(
  em: EntityManager,
  box: SecretBox,
  sealedColumn: SealedColumn,
): Promise<SealedColumnRewrapCount> {
  const { table, column } = sealedColumn;
  let seen = 0;
  let moved = 0;
  let rows = await readBatch(em, sealedColumn, "");
  while (rows.length > 0) {
    for (const row of rows.filter(({ sealed }) => !box.isCurrent(sealed))) {
      const rewrapped = box.rewrap(row.sealed, { table, row: row.id, column });
      if (await replace(em, sealedColumn, row, rewrapped)) moved += 1;
    }
    seen += rows.length;
    rows = await readBatch(em, sealedColumn, rows.at(-1)?.id ?? "");
  }
  return { table, column, seen, moved };
}

/** Names of tables and columns are our own constants; only values come from rows. */
function readBatch(
  em: EntityManager,
  { table, column, rowId }: SealedColumn,
  after: string,
): Promise<SealedRow[]> {
  return em.execute<SealedRow[]>(
    `select "${rowId}" as id, "${column}" as sealed from "${table}"
     where "${column}" is not null and "${rowId}" > ? order by "${rowId}" limit ${batchSize}`,
    [after],
  );
}

/** Only if nobody has written the value since it was read. */
async function replace(
  em: EntityManager,
  { table, column, rowId }: SealedColumn,
  row: SealedRow,
  rewrapped: string,
): Promise<boolean> {
  const replaced = await em.execute<object[]>(
    `update "${table}" set "${column}" = ? where "${rowId}" = ? and "${column}" = ? returning 1`,
    [rewrapped, row.id, row.sealed],
  );
  return replaced.length === 1;
}
