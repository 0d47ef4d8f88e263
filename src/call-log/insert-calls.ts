import type { EntityManager } from "@mikro-orm/postgresql";

/**
 * Writes a JSON array of calls (`callRow`), and the ledger's rows of those that nobody pays for, in one
 * statement. A batch that was written although its answer was lost is not written
 * twice. Past the mapper, which would copy the rows into the text of the statement.
 */
export async function insertCalls(em: EntityManager, rows: Buffer): Promise<void> {
  const pool = await em.getConnection().getNativeClient();
  await pool.query(statement, [rows]);
}

/** The same for one call, inside a transaction. */
export async function insertCallWithin(em: EntityManager, row: string): Promise<void> {
  await em.execute(statement.replace("$1", "?"), [`[${row}]`]);
}

const statement = `
  with "call" as materialized (
    select * from json_to_recordset($1::json) as (
      "id" text, "account_id" text, "key_id" text, "request_id" text, "dialect" text,
      "operation" text, "model" text, "target" text, "route" text, "lane" text,
      "stream" boolean, "status" integer, "error_code" text, "attempts" jsonb,
      "skipped" jsonb, "warnings" jsonb, "tags" jsonb, "tagged" text[],
      "response_id" text, "turn" text,
      "repeated" boolean, "ended" double precision, "ms" integer, "first_byte_ms" integer,
      "input" bigint, "cached" bigint, "output" bigint, "estimated" boolean, "usage" jsonb
    )
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
    on conflict do nothing
  )
  insert into "calls" (
    "at", "id", "account_id", "key_id", "request_id", "dialect", "operation", "model", "target",
    "route", "lane", "stream", "status", "error_code", "attempts", "skipped", "ms",
    "first_byte_ms", "warnings", "tags", "tagged", "response_id", "turn", "repeated"
  )
  select to_timestamp("ended" / 1000), "id", "account_id", "key_id", "request_id", "dialect",
    "operation", "model", "target", "route", "lane", "stream", "status", "error_code",
    "attempts", "skipped", "ms", "first_byte_ms", "warnings", "tags", "tagged",
    "response_id", "turn", "repeated"
  from "call"
  on conflict do nothing`;
