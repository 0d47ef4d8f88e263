import { z } from "zod";

/** One row of a cached table was inserted, updated or deleted; the transaction is committed. */
export interface ChangedTableRow {
  readonly table: string;
  readonly id: string;
  /** User or team that owns the row. */
  readonly accountId: string;
}

const payload = z.object({ table: z.string(), id: z.string(), account_id: z.string().nullable() });

/** Reads what `causeway_notify_change` sent; undefined for anything else that came over the channel. */
export function parseChangedTableRow(text: string): ChangedTableRow | undefined {
  const { data } = payload.safeParse(parseJson(text));
  if (data === undefined) return undefined;
  return { table: data.table, id: data.id, accountId: data.account_id ?? "" };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
