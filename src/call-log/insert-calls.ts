import type { EntityManager } from "@mikro-orm/postgresql";
import { callLogInsertColumns } from "./call-row-text.ts";

/**
 * Writes the lines of calls (`serializeCallLogLine`) and the ledger rows of calls without a
 * charge, in one statement. A batch whose confirmation was lost is not written twice. Only then are rows looked up first: that takes a sixth of the whole work. Past the
 * mapper, which would copy the rows into the text of the statement.
 */
export async function insertCallLogLines(em: EntityManager, lines: Buffer): Promise<void> {
  const pool = await em.getConnection().getNativeClient();
  try {
    await pool.query(insert, [lines]);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    await pool.query(insertMissing, [lines]);
  }
}

/** The same for one call, inside a transaction. */
export async function insertCallLogLineInTransaction(
  em: EntityManager,
  line: string,
): Promise<void> {
  await em.execute(insertMissing.replace("$1", "?"), [line]);
}

/** A unique index has the key (SQLSTATE 23505). */
function isDuplicate(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "23505";
}

const values = callLogInsertColumns.map(
  ([name, type], index) => `"value"[${index + 1}]::${type} as "${name}"`,
);

/** `onConflict`: what becomes of rows whose key is there. */
const insertStatement = (onConflict: string) => `
  with "call" as materialized (
    select ${values.join(", ")}
    from string_to_table($1, E'\\n') as "line",
      lateral string_to_array("line", E'\\t', '') as "value"
  ), "entry" as (
    insert into "ledger_entries" (
      "id", "account_id", "key_id", "model", "route", "state", "reserved_nano", "cost_nano",
      "input_tokens", "cached_input_tokens", "output_tokens", "estimated", "usage", "tags",
      "repeated", "started_at", "ended_at"
    )
    select "id", "account_id", "key_id", coalesce("target", "model", ''), 'byo', 'settled', 0, 0,
      "input", "cached", "output", "estimated", "usage", "tags",
      "repeated", to_timestamp(("ended" - "ms") / 1000), to_timestamp("ended" / 1000)
    from "call" where "input" is not null
    ${onConflict}
  )
  insert into "calls" (
    "at", "id", "account_id", "key_id", "request_id", "dialect", "operation", "model", "target",
    "route", "lane", "stream", "status", "error_code", "dial_ms", "attempts", "skipped", "ms",
    "first_byte_ms", "warnings", "tags", "tagged", "response_id", "turn", "repeated"
  )
  select to_timestamp("ended" / 1000), "id", "account_id", "key_id", "request_id", "dialect",
    "operation", "model", "target", "route", "lane", "stream", "status", "error_code",
    "dial_ms", "attempts", "skipped", "ms", "first_byte_ms", "warnings", "tags", "tagged",
    "response_id", "turn", "repeated"
  from "call"
  ${onConflict}`;

const insert = insertStatement("");
const insertMissing = insertStatement("on conflict do nothing");
